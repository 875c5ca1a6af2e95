"""Reads the typed data that a page declares: objects of JSON-LD or microdata, and Open Graph tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.declared.jsonld import ARTICLES, PRODUCTS, text_of, types_of
from topicspider.page.markup.texts import one_line
from topicspider.page.typed.schema_types import BUSINESSES, ORGANISATIONS
from topicspider.page.typed.values import (
    FIELD,
    amount_of,
    book_day_of,
    currency_of,
    isbn_of,
    mail_of,
    moment_of,
    phone_of,
    squeezed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Data = dict[str, str]
Thing = dict[str, object]
_MOST_NAMES = 5
_HAN = re.compile(r"[\u3400-\u9fff]")
_PLACE = ("addressRegion", "addressLocality", "streetAddress")


def declared_data(objects: list[Thing], titles: str, has_contact: bool) -> Data:
    """The fields of what the page is about, with ``kind``: a book, a product, a news item or a company; {} when none is declared.

    ``titles`` holds the page's title and headings: of several products or articles, the one they name is meant. ``has_contact``: the page is a
    site's first page or one about how to reach it; on others an organisation is just the publisher.
    """
    by_kind: dict[str, list[Thing]] = {}
    for thing in objects:
        if kind := kind_of_thing(types_of(thing)):
            by_kind.setdefault(kind, []).append(thing)
    for is_named in (True, False):
        for kind, read in _READERS.items():
            meant = _meant(by_kind.get(kind, []), titles, is_named)
            if meant is None or (kind == "organisation" and not has_contact):
                continue
            data = _filled(read(meant))
            if data and (is_named or kind != "product" or "price" in data):
                return {"kind": "company" if kind in ("business", "organisation") else kind} | data
    return {}


def kind_of_thing(types: frozenset[str]) -> str:
    """book, product, news, business or organisation, by the lower-case types of an object, or ""."""
    if "book" in types or "audiobook" in types:
        return "book"
    if types & PRODUCTS:
        return "product"
    if types & ARTICLES:
        return "news"
    if types & BUSINESSES:
        return "business"
    return "organisation" if types & ORGANISATIONS else ""


def declared_by_tags(meta: Mapping[str, str]) -> Data:
    """The fields of Open Graph's product, book and article tags, with ``kind``; {} when there are none."""
    kind = meta.get("og:type", "").lower()
    title, site = meta.get("og:title", ""), meta.get("og:site_name", "")
    if kind in ("book", "books.book") or "book:isbn" in meta:
        fields = {"title": title, "author": _no_address(meta.get("book:author", ""))}
        fields |= {
            "isbn": isbn_of(meta.get("book:isbn", "")),
            "published": book_day_of(meta.get("book:release_date", "")),
        }
        return {"kind": "book"} | _filled(fields)
    amount = meta.get("product:price:amount") or meta.get("og:price:amount") or ""
    if kind in ("product", "og:product", "product.item") or amount:
        currency = meta.get("product:price:currency") or meta.get("og:price:currency") or ""
        fields = {
            "name": title,
            "brand": meta.get("product:brand", ""),
            "sku": meta.get("product:retailer_item_id", ""),
        }
        fields |= {"price": amount_of(amount), "currency": currency_of(currency)}
        return {"kind": "product"} | _filled(fields)
    if kind in ("article", "news") and (moment := moment_of(meta.get("article:published_time", ""))):
        author = _no_address(meta.get("article:author", "")) or _no_address(meta.get("author", ""))
        return {"kind": "news"} | _filled({"headline": title, "published": moment, "author": author, "source": site})
    return {}


def _filled(fields: Data) -> Data:
    cut = {name: one_line(text, FIELD) for name, text in fields.items()}
    return {name: text for name, text in cut.items() if text}


def _no_address(text: str) -> str:
    return "" if "://" in text else text


def _meant(things: list[Thing], titles: str, is_named: bool) -> Thing | None:
    """The object that the titles name; or the only one: a list of products is not about one of them."""
    names = [squeezed(text_of(thing.get("headline")) or text_of(thing.get("name"))) for thing in things]
    if not is_named:
        return things[0] if len(set(names)) == 1 else None
    shown = squeezed(titles)
    return next((thing for thing, name in zip(things, names, strict=True) if name and name in shown), None)


def _names(value: object) -> str:
    """The names of one or several persons, joined by commas."""
    values = value if isinstance(value, list) else [value]
    names = [text_of(one) for one in values[:_MOST_NAMES]]
    return ", ".join(dict.fromkeys(name for name in names if name and "://" not in name))


def _news(thing: Thing) -> Data:
    return {
        "headline": text_of(thing.get("headline")) or text_of(thing.get("name")),
        "published": moment_of(text_of(thing.get("datePublished"))) or moment_of(text_of(thing.get("dateCreated"))),
        "author": _names(thing.get("author")),
        "source": text_of(thing.get("publisher")),
    }


def _book(thing: Thing) -> Data:
    edition = thing.get("workExample")
    edition = edition[0] if isinstance(edition, list) and edition else edition
    more: Thing = edition if isinstance(edition, dict) else {}
    return {
        "title": text_of(thing.get("name")),
        "author": _names(thing.get("author")),
        "translator": _names(thing.get("translator")),
        "publisher": text_of(thing.get("publisher")),
        "isbn": _isbn(thing.get("isbn") or thing.get("gtin13") or more.get("isbn")),
        "published": book_day_of(text_of(thing.get("datePublished") or more.get("datePublished"))),
        "pages": text_of(thing.get("numberOfPages") or more.get("numberOfPages")),
    } | _offer(thing)


def _isbn(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return isbn_of(" ; ".join(text_of(one) for one in values[:_MOST_NAMES]))


def _product(thing: Thing) -> Data:
    return {
        "name": text_of(thing.get("name")),
        "brand": text_of(thing.get("brand")),
        "model": text_of(thing.get("model")),
        "sku": text_of(thing.get("sku") or thing.get("productID")),
    } | _offer(thing)


def _offer(thing: Thing) -> Data:
    offers = thing.get("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    if not isinstance(offer, dict):
        return {}
    stated = offer.get("priceSpecification")
    stated = stated[0] if isinstance(stated, list) and stated else stated
    more: Thing = stated if isinstance(stated, dict) else {}
    amount = text_of(offer.get("price") or offer.get("lowPrice") or more.get("price"))
    inner = offer.get("offers") if not amount else None
    if inner:
        return _offer({"offers": inner if isinstance(inner, dict) else inner[0] if isinstance(inner, list) else None})
    seller = offer.get("seller")
    return {
        "price": amount_of(re.sub(r"^[^\d]{0,5}", "", amount)),
        "currency": currency_of(text_of(offer.get("priceCurrency") or more.get("priceCurrency"))),
        "seller": text_of(seller),
    }


def _company(thing: Thing) -> Data:
    """The name and how to reach it; nothing when it says neither a phone nor an address."""
    point = thing.get("contactPoint")
    point = point[0] if isinstance(point, list) and point else point
    more: Thing = point if isinstance(point, dict) else {}
    place = thing.get("address")
    place = place[0] if isinstance(place, list) and place else place
    fields = {
        "name": text_of(thing.get("name")) or text_of(thing.get("legalName")),
        "phone": phone_of(text_of(thing.get("telephone") or more.get("telephone"))),
        "fax": phone_of(text_of(thing.get("faxNumber") or more.get("faxNumber"))),
        "email": mail_of(text_of(thing.get("email") or more.get("email"))),
        "address": _address(place),
        "postcode": text_of(place.get("postalCode")) if isinstance(place, dict) else "",
        "website": text_of(thing.get("url")),
    }
    return fields if fields["name"] and (fields["phone"] or fields["address"]) else {}


def _address(place: object) -> str:
    """Chinese addresses from the large to the small, others from the small to the large."""
    if not isinstance(place, dict):
        return text_of(place)
    parts = [text for name in _PLACE if (text := text_of(place.get(name)))]
    kept = [part for index, part in enumerate(parts) if not any(part in later for later in parts[index + 1 :])]
    if _HAN.search("".join(kept)):
        return "".join(kept)
    region, locality, street = (text_of(place.get(name)) for name in _PLACE)
    return ", ".join(part for part in (street, locality, region) if part)


_READERS: dict[str, Callable[[Thing], Data]] = {
    "book": _book,
    "product": _product,
    "news": _news,
    "business": _company,
    "organisation": _company,
}
"""What is read of each kind, in the order in which a page is taken for it."""
