"""Reads XML of other people as a stream of elements: no entities, no network, bounded depth; the one home of lxml."""

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
"""A document type stands before the first element, or nowhere; behind it "<!ENTITY" is text, in CDATA."""


def elements(data: bytes, *tags: str) -> Iterator[Element]:
    """Each element of these ``tags`` ({*}name: in any namespace) when it ends, as far as it is XML.

    Of a document type with entities there is nothing: no file of those we read has one. Nesting is bounded by libxml2 (256).
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
    """``p`` of ``{http://…}p`` and of ``w:p`` whose prefix nobody declared."""
    return name.rpartition("}")[2].rpartition(":")[2]


def attribute(element: Element | None, name: str) -> str:
    """The attribute of this local name, in any namespace, or ""."""
    pairs = element.attrib.items() if element is not None else ()
    return next((str(value) for key, value in pairs if local_name(str(key)) == name), "")


def text_within(element: Element) -> str:
    """All characters below an element."""
    return "".join(str(text) for text in element.itertext())
