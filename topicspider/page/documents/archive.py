"""Reads the parts of zipped documents within bounds: members of a ZIP file, and XML as a stream of elements."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO
from typing import Any
from xml.sax.handler import ContentHandler, feature_namespaces

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from topicspider.page.documents.document import (
    MAX_DEPTH,
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    Failure,
    Unreadable,
)

_CHUNK = 256 * 1024
_FREE = 1024 * 1024
"""Bytes that any member may unpack to, however well it packs."""
_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """Members by name; only what is asked for is unpacked."""

    def __init__(self, body: bytes) -> None:
        """Raises Unreadable for what is no ZIP file, or one of too many members."""
        if body.count(_ENTRY) > MAX_MEMBERS:
            raise Unreadable(Failure.LIMIT)
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
            raise Unreadable(Failure.DAMAGED) from None
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """The whole member; b"" when there is none of that name; raises Unreadable."""
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            return b""
        if info.flag_bits & 1:
            raise Unreadable(Failure.LOCKED)
        if info.compress_type not in _METHODS:
            raise Unreadable(Failure.DAMAGED)
        if info.file_size > MAX_MEMBER_BYTES:
            raise Unreadable(Failure.LIMIT)
        try:
            return self._unpack(info)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, EOFError, OSError, RuntimeError):
            raise Unreadable(Failure.DAMAGED) from None

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        """Piece by piece: what the file says about its size may be a lie."""
        limit = max(_FREE, MAX_RATIO * info.compress_size)
        parts, size = [], 0
        with self._zip.open(info) as member:
            while chunk := member.read(_CHUNK):
                size += len(chunk)
                self._unpacked += len(chunk)
                if size > min(limit, MAX_MEMBER_BYTES) or self._unpacked > MAX_UNPACKED_BYTES:
                    raise Unreadable(Failure.LIMIT)
                parts.append(chunk)
        return b"".join(parts)


_XML_EVENTS_CHUNK = 64 * 1024
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
        for start in range(0, len(data), _XML_EVENTS_CHUNK):
            if elements.is_done:
                return True
            parser.feed(data[start : start + _XML_EVENTS_CHUNK])
        parser.close()
    except DefusedXmlException:
        raise Unreadable(Failure.LIMIT) from None
    except Unreadable:
        raise
    except Exception:  # noqa: BLE001 - SAXParseException, UnicodeError, LookupError: all mean broken XML
        return False
    return bool(data)
