"""Reads untrusted XML as a stream of elements: no entities, no network, bounded depth. The only module that imports lxml."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias

from lxml import etree
from lxml.etree import _Element

if TYPE_CHECKING:
    from collections.abc import Iterator

Element: TypeAlias = _Element

_TYPED = re.compile(rb"(?:\s++|\xef\xbb\xbf|<!--.*?-->|<\?.*?\?>)*+<!DOCTYPE", re.DOTALL)
"""A document type can only stand before the first element; "<!ENTITY" further down is text in CDATA."""


def elements(data: bytes, *tags: str) -> Iterator[Element]:
    """Yields each element of these ``tags`` ({*}name: in any namespace) at its end tag, as far as ``data`` can be parsed.

    A document type with entities yields nothing: the files we read have none. Libxml2 bounds the nesting (256).
    """
    if not data or (b"<!ENTITY" in data and _TYPED.match(data)):
        return
    safe = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    try:
        for _event, element in etree.iterparse(
            BytesIO(data), tag=tags, recover=True, remove_comments=True, remove_pis=True, **safe
        ):
            yield element
    except (etree.LxmlError, UnicodeError, LookupError):
        return


def local_name(name: str) -> str:
    """The name without namespace: ``p`` for ``{http://…}p``, and for ``w:p`` with an undeclared prefix."""
    return name.rpartition("}")[2].rpartition(":")[2]


def attribute(element: Element | None, name: str) -> str:
    """The value of the attribute with this local name, in any namespace, or ""."""
    pairs = element.attrib.items() if element is not None else ()
    return next((str(value) for key, value in pairs if local_name(str(key)) == name), "")


def text_within(element: Element) -> str:
    """All text inside an element, its descendants' included."""
    return "".join(str(text) for text in element.itertext())
