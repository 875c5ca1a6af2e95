"""Measures typed data on 60 pages of our own: micro F1 over (page, field, value).

    python -m benchmarks.quality.typed_data [--show]

A page of typed_pages/ is a text file: one line of JSON (``skin``, the page's frame in typed_pages/skins; ``charset``; ``url``; ``title``;
``data``, the gold; ``held``: not looked at while the rules were written), then lines for its head, ``----``, and its own part of the body.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from html import escape
from pathlib import Path
from typing import Any

from topicspider.page.page import Page

PAGES = Path(__file__).with_name("typed_pages")
_NUMBERS = frozenset({"price", "pages"})
_DECLARED = re.compile(rb"ld\+json|itemscope|og:type")
_PHONES = frozenset({"phone", "fax"})

Data = dict[str, str]


@dataclass(frozen=True, slots=True)
class TypedPage:
    """One page of our own with its gold."""

    name: str
    url: str
    body: bytes
    content_type: str
    gold: Data
    is_held: bool


@dataclass(slots=True)
class Counts:
    """Numbers of fields: right ones, found ones, and those of the gold."""

    right: int = 0
    found: int = 0
    gold: int = 0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / max(1, self.found + self.gold)


def typed_pages() -> Iterator[TypedPage]:
    """Every page, by name."""
    for path in sorted(PAGES.glob("*.txt")):
        yield page_of(path.stem, path.read_text(encoding="utf-8"))


def page_of(name: str, text: str) -> TypedPage:
    """The page that a file describes, its bytes in its own charset."""
    first, _, rest = text.partition("\n")
    plan: dict[str, Any] = json.loads(first)
    head, mark, core = rest.partition("\n----\n")
    head, core = (head, core) if mark else ("", rest)
    charset = plan.get("charset", "utf-8")
    html = core
    if plan["skin"]:
        frame = (PAGES / "skins" / f"{plan['skin']}.html").read_text(encoding="utf-8")
        values = {"title": escape(plan["title"]), "head": head, "core": core, "charset": charset}
        html = re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], frame)
        html = re.sub(r"charset=(\"?)[\w-]+", rf"charset=\g<1>{charset}", html, count=1)
    body = html.encode(charset, "xmlcharrefreplace")
    return TypedPage(name, plan["url"], body, f"text/html; charset={charset}", plan["data"], plan.get("held", False))


def read_ours(page: TypedPage) -> Data:
    """The typed data as our own code finds them."""
    return dict(Page(page.url, page.body, page.content_type).data)


def measure(read: Callable[[TypedPage], Data], pages: Iterator[TypedPage], show: bool = False) -> dict[str, Counts]:
    """Counts of all pages, of each kind (none: no data in the gold), of pages that declare data, and of those held back."""
    scores: dict[str, Counts] = {}
    for page in pages:
        found = comparable(read(page))
        gold = comparable(page.gold)
        kind = page.gold.get("kind", "none")
        groups = ["all", kind, "held" if page.is_held else "seen"]
        for group in groups + (["declared"] if page.gold and _DECLARED.search(page.body) else []):
            counts = scores.setdefault(group, Counts())
            counts.right += len(found & gold)
            counts.found += len(found)
            counts.gold += len(gold)
        if show and found != gold:
            print(page.name, "wrong:", sorted(found - gold), "missed:", sorted(gold - found))
    return scores


def comparable(data: Data) -> set[tuple[str, str]]:
    """(field, value) in a form that can be compared: without white space and width; numbers by value; phones by their digits."""
    return {(name, _comparable(name, value)) for name, value in data.items()}


def _comparable(name: str, value: str) -> str:
    text = "".join(unicodedata.normalize("NFKC", value).split())
    if name in _PHONES:
        return re.sub(r"\D", "", text)
    if name in _NUMBERS:
        try:
            return f"{Decimal(text).normalize():f}"
        except InvalidOperation:
            return text
    return text


# --- the baseline ----------------------------------------------------------------------------------


def read_extruct(page: TypedPage) -> Data:
    """What extruct finds in JSON-LD, microdata and Open Graph, with renamed properties; it does not read text."""
    import extruct

    html = page.body.decode(page.content_type.rpartition("=")[2], "replace")
    found = extruct.extract(
        html, base_url=page.url, syntaxes=["json-ld", "microdata", "opengraph"], uniform=True, errors="ignore"
    )
    things = [thing for syntax in ("json-ld", "microdata", "opengraph") for thing in found.get(syntax, [])]
    for thing in [inner for outer in things for inner in (outer.get("@graph") or [outer])]:
        types = str(thing.get("@type"))
        for name, (kind, renamed) in _EXTRUCT.items():
            if name in types:
                fields = {ours: _plain(thing, theirs) for ours, theirs in renamed.items()}
                return {"kind": kind} | {ours: text for ours, text in fields.items() if text}
    return {}


_OFFER = {"price": "offers.price", "currency": "offers.priceCurrency"}
_FIRM = {
    "name": "name",
    "phone": "telephone",
    "email": "email",
    "website": "url",
    "postcode": "address.postalCode",
    "address": "address.streetAddress",
}
_EXTRUCT: dict[str, tuple[str, dict[str, str]]] = {
    "Book": (
        "book",
        {
            "title": "name",
            "author": "author",
            "publisher": "publisher",
            "isbn": "isbn",
            "published": "datePublished",
            "pages": "numberOfPages",
        }
        | _OFFER,
    ),
    "Product": ("product", {"name": "name", "brand": "brand", "sku": "sku"} | _OFFER),
    "Hotel": ("company", _FIRM),
    "Restaurant": ("company", _FIRM),
    "Dentist": ("company", _FIRM),
    "Organization": ("company", _FIRM),
    "product": (
        "product",
        {
            "name": "og:title",
            "price": "product:price:amount",
            "currency": "product:price:currency",
            "brand": "product:brand",
        },
    ),
    "book": ("book", {"title": "og:title", "isbn": "book:isbn", "author": "book:author"}),
}


def _plain(thing: Any, path: str) -> str:
    for name in path.split("."):
        thing = thing[0] if isinstance(thing, list) and thing else thing
        thing = thing.get(name, "") if isinstance(thing, dict) else ""
    if isinstance(thing, list):
        return ", ".join(_plain({"x": one}, "x") for one in thing)
    return str(thing.get("name", "")) if isinstance(thing, dict) else str(thing)


def report(scores: dict[str, Counts]) -> str:
    """A table with a line for each group."""
    lines = [f"ours       {'group':10} {'gold':>5} {'found':>6} {'right':>6} {'F1':>6}"]
    for group in sorted(scores):
        counts = scores[group]
        lines.append(f"{'':10} {group:10} {counts.gold:5} {counts.found:6} {counts.right:6} {counts.f1:6.3f}")
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what is wrong on each page that is not held back")
    options = parser.parse_args()
    if options.show:
        measure(read_ours, (page for page in typed_pages() if not page.is_held), show=True)
    print(report(measure(read_ours, typed_pages())))


if __name__ == "__main__":
    main()
