"""Reads the XML parts of documents as a stream of elements: no tree, no entities, no network, bounded depth."""

from __future__ import annotations

from typing import Any
from xml.sax.handler import ContentHandler, feature_namespaces

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from topicspider.page.documents.document import Failure
from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.limits import MAX_DEPTH

_CHUNK = 64 * 1024
XML = "http://www.w3.org/XML/1998/namespace"


class Elements(ContentHandler):
    """What a part's reader derives from: ``opened``, ``closed`` and ``text`` are called in document order.

    ``space`` is the namespace, ``name`` the local name; attributes are found by local name, in any namespace.
    ``is_done`` ends the reading early.
    """

    is_done = False
    _depth = 0

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def closed(self, space: str, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """Some characters; a text may come in several calls."""

    def startElementNS(self, name: tuple[str | None, str], _qname: str | None, attrs: Any) -> None:  # noqa: N802
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable(Failure.LIMIT)
        self.opened(name[0] or "", name[1], {key[1]: value for key, value in attrs.items()})

    def endElementNS(self, name: tuple[str | None, str], _qname: str | None) -> None:  # noqa: N802
        self._depth -= 1
        self.closed(name[0] or "", name[1])

    def characters(self, content: str) -> None:
        self.text(content)


def read_xml(data: bytes, elements: Elements) -> bool:
    """Feed ``data`` to ``elements``; False when it is no good XML (what came before the fault was passed on).

    Raises Unreadable for a document type with entities, whatever they are for: a part of a document has none.
    """
    parser = DefusedExpatParser(forbid_dtd=False, forbid_entities=True, forbid_external=True)
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(elements)
    try:
        for start in range(0, len(data), _CHUNK):
            if elements.is_done:
                return True
            parser.feed(data[start : start + _CHUNK])
        parser.close()
    except DefusedXmlException:
        raise Unreadable(Failure.LIMIT) from None
    except Unreadable:
        raise
    except Exception:  # noqa: BLE001 - SAXParseException, UnicodeError, LookupError: all mean broken XML
        return False
    return bool(data)
