"""Reads the typed fields of a book, product or company: from declared objects, then from labelled values (出版社：…)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from topicspider.page.dates import day_of
from topicspider.page.parsed_page import one_line
from topicspider.page.typed_objects import ARTICLES, PRODUCTS, text_of, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topicspider.page.page import Page
    from topicspider.page.parsed_page import Reading

Thing = dict[str, object]
Fields = dict[str, str]
Labelled = tuple[str, str, str]
"""(field, value, label) of one labelled value in the text, such as 出版社：云岭人民出版社."""

MAX_FIELD = 500  # characters
STORY = "story"
"""The kind of news and essays, which have no typed fields: their title, day and author are the page's own."""

_SITE_PAGE = re.compile(
    r"https?://[^/?#]+/?(?:(?:index|default|home)\.\w{1,5})?|https?://[^?#]*(?:contact|lianxi|lxwm|about|kontakt|impressum|company|gongsi|profile)[^?#]*",
    re.IGNORECASE,
)
"""A site's home page, or its contact or about page; elsewhere a declared organisation is only the publisher."""

_CURRENCIES = {
    "¥": "CNY", "rmb": "CNY", "cny": "CNY", "人民币": "CNY", "人民幣": "CNY", "元": "", "圆": "", "$": "USD", "us$": "USD", "usd": "USD",
    "美元": "USD", "€": "EUR", "eur": "EUR", "欧元": "EUR", "£": "GBP", "gbp": "GBP", "英镑": "GBP", "hk$": "HKD", "hkd": "HKD", "港元": "HKD",
    "港币": "HKD", "港幣": "HKD", "nt$": "TWD", "twd": "TWD", "新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "円": "JPY", "jpy": "JPY", "日元": "JPY",
}  # fmt: skip
"""Sign or name to ISO 4217 code; 元 is "": its currency depends on the page's country."""
_BY_COUNTRY = {"tw": "TWD", "hk": "HKD", "jp": "JPY", "cn": "CNY"}
_SIGNS = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_PRICE = re.compile(rf"({_SIGNS})\s?:?\s?(\d[\d.,]{{0,14}})|(\d[\d.,]{{0,14}})\s?({_SIGNS})", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<whole>\d[\d.,]*?)(?:[.,](?P<cents>\d{1,2}))?[.,]?")
_ISBN = re.compile(r"(?<![\d-])(?:97[89](?:[ –-]?\d){9}[ –-]?\d|\d(?:[ –-]?\d){8}[ –-]?[\dXx])(?![\d-]?\d)")
_PHONE = re.compile(r"(?<![\d.])(?:\+\s?\d{1,3}[\s-]?)?(?:\(\+?\d{1,5}\)|\d)[\d\s()-]{4,18}\d(?![\d.])")
_YEAR_MONTH = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?:\s?[-/.年]\s?(0?[1-9]|1[0-2])(?!\d))?")
_ROLE = re.compile(r"[\s,，]{0,3}[(（\[]?\s?(?:编著|編著|主编|主編|译注|著|编|編|译|譯|撰|绘|繪)[)）\]]?$")
_QUOTED = re.compile(r"[《【\[]([^《》]{1,100})[》】\]]")
_COMPANY = re.compile(
    r".{2,40}(?:公司|集团|集團|厂|廠|商行|事务所|工作室|研究院|酒店|旅行社|\bLtd\.?|\bInc\.?|\bLLC|\bGmbH|\bCo\.?)$",
    re.IGNORECASE,
)
_EDGES = " \t\u3000|｜,，;；、/·:：»>[]【】［］\u200e\u200f"
_HAN = re.compile(r"[\u3400-\u9fff]")


def structured_data(page: Page, zones: list[str], objects: list[Thing]) -> tuple[Fields, Fields]:
    """(typed fields with ``kind``, {} for a page about nothing of the kind; source of each field: declared, a label or text).

    Labelled values complete a declared object; without one they suffice only if they are good evidence of a kind.
    """
    kind, declared = _declared(page, objects)
    values = [] if kind == STORY else list(_labelled_values(page.reading, zones))
    source = "declared" if kind else "text"
    kind = kind or (_kind_by_labels(page, values) if page.type != "forum" else "")
    if kind not in _KINDS:
        return {}, {}
    fields, why = {"kind": kind}, {"kind": source}
    for name, one in _KINDS[kind].items():
        labelled = [value for wanted in one.labels.split() for value in values if value[0] == wanted]
        found = [(declared.get(name, ""), "declared"), *((one.read(value), label) for _, value, label in labelled)]
        if name == "currency" and "price" in fields:
            found.append((_currency_of_page(page), "text"))
        elif name in ("title", "name"):
            found.append((_name_by_page(page, kind), "text"))
        if best := next((value for value in found if value[0]), None):
            fields[name], why[name] = one_line(best[0], MAX_FIELD), best[1]
    return fields, why


def clean(text: str) -> str:
    """One line of at most 500 characters, without separators at its ends."""
    return one_line(text, MAX_FIELD).strip(_EDGES)


def _narrow(text: str) -> str:
    """The first 300 characters of a text, with full-width characters made half-width (NFKC)."""
    return unicodedata.normalize("NFKC", text[:300])


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text[:1000]).lower()


def _first(pattern: str) -> Callable[[str], str]:
    """Reads the first piece of a text that ``pattern`` matches."""

    def read(text: str) -> str:
        found = re.search(pattern, _narrow(text), re.ASCII)
        return found[0] if found else ""

    return read


def _price(text: str) -> tuple[str, str]:
    """(number, currency sign) of the first price, such as ¥1,249.00 or 1.249,00 EUR; without a price the text itself as both."""
    text = _narrow(text).strip()
    found = _PRICE.search(text)
    return (found[2] or found[3], found[1] or found[4]) if found else (text[:15], text)


def price_of(text: str) -> str:
    """The first price, or a bare number, as digits with a decimal point only; or ""."""
    number = _NUMBER.fullmatch(_price(text)[0])
    if not number:
        return ""
    whole = re.sub(r"[.,]", "", number["whole"]).lstrip("0") or "0"
    return f"{whole}.{number['cents']}" if number["cents"] else whole


def currency_of(text: str) -> str:
    """The ISO 4217 code of the first price's currency, or of a currency named alone; or ""."""
    sign = _price(text)[1]
    return _CURRENCIES.get(sign.lower(), sign.upper() if re.fullmatch("[A-Za-z]{3}", sign) else "")


def isbn_of(text: str) -> str:
    """The first ISBN with a correct check digit, without hyphens, preferably of 13 digits; or ""."""
    candidates = [re.sub(r"[^\dX]", "", match[0].upper()) for match in _ISBN.finditer(_narrow(text))]
    return max((digits for digits in candidates if _is_isbn(digits)), key=len, default="")


def _is_isbn(digits: str) -> bool:
    values = [10 if digit == "X" else int(digit) for digit in digits]
    if len(values) == 13:
        return (sum(values[::2]) + 3 * sum(values[1::2])) % 10 == 0
    return len(set(values)) > 1 and sum((10 - place) * value for place, value in enumerate(values)) % 11 == 0


def phone_of(text: str) -> str:
    """The first phone number, or ""."""
    numbers = (match[0] for match in _PHONE.finditer(_narrow(text).replace("–", "-").replace("—", "-")))
    shown = (re.sub(r"^\((0\d{1,3})\)\s?", r"\1-", " ".join(number.split())).strip(" -") for number in numbers)
    return next((number for number in shown if 7 <= len(re.sub(r"\D", "", number)) <= 15 and not day_of(number)), "")


def _year_of(text: str) -> str:
    """The date of a book as YYYY, YYYY-MM or YYYY-MM-DD, or ""."""
    match = _YEAR_MONTH.search(_narrow(text[:100]))
    return day_of(text[:100]) or ("-".join(part.zfill(2) for part in match.groups() if part) if match else "")


def _person_of(text: str) -> str:
    """A person's name without a role such as 著 or 编著 behind it; "" for the URL of a profile."""
    text = clean(text)
    return "" if "://" in text else _ROLE.sub("", text).rstrip(_EDGES) or text


def _book_title(text: str) -> str:
    quoted = _QUOTED.match(clean(text))
    return clean(quoted[1] if quoted else text)


@dataclass(frozen=True, slots=True)
class Field:
    """How to read one field from a text, its ``paths`` in declared objects, and its names in field_labels.txt (``labels``)."""

    read: Callable[[str], str]
    paths: str = ""
    labels: str = ""


_OFFERS = ("offers.{0}", "offers.offers.{0}", "offers.priceSpecification.{0}")
_PRICED = {
    "price": Field(price_of, f"{' '.join(_OFFERS).format('price')} offers.lowPrice", "price list_price"),
    "currency": Field(currency_of, " ".join(_OFFERS).format("priceCurrency"), "price list_price"),
}
_KINDS: dict[str, dict[str, Field]] = {
    "book": {
        "title": Field(_book_title, "name", "title"),
        "author": Field(_person_of, "author", "author"),
        "translator": Field(_person_of, "translator", "translator"),
        "publisher": Field(clean, "publisher", "publisher"),
        "isbn": Field(isbn_of, "isbn gtin13 workExample.isbn", "isbn"),
        "published": Field(_year_of, "datePublished", "published year"),
        "pages": Field(_first(r"\d{1,5}"), "numberOfPages", "pages"),
        **_PRICED,
    },
    "product": {
        "name": Field(clean, "name", "name"),
        "brand": Field(clean, "brand", "brand"),
        "model": Field(clean, "model", "model"),
        "sku": Field(clean, "sku", "sku"),
        **_PRICED,
        "seller": Field(clean, "offers.seller", "seller company"),
    },
    "company": {
        "name": Field(clean, "name legalName", "company"),
        "products": Field(clean, "", "products"),
        "contact": Field(_first(r"[^\s(]+"), "", "contact"),
        "phone": Field(phone_of, "telephone contactPoint.telephone", "phone mobile"),
        "fax": Field(phone_of, "faxNumber contactPoint.faxNumber", "fax"),
        "email": Field(_first(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"), "email contactPoint.email", "email"),
        "address": Field(clean, "whole_address address", "address"),
        "postcode": Field(_first(r"[^\s(]+"), "address.postalCode", "postcode"),
        "website": Field(_first(r"[^\s(]+"), "url", "website"),
    },
}


def _declared(page: Page, objects: list[Thing]) -> tuple[str, Fields]:
    """(kind, fields) of the first declared object that the page's title names, or of the only one; else by the Open Graph tags."""
    is_about_owner = _SITE_PAGE.fullmatch(page.url) is not None
    headings = " ".join(page.reading.block_text(page.reading.blocks[index]) for index in page.reading.headings[:4])
    shown = _squeezed(f"{page.title} {page.reading.title} {headings}")
    owner = "" if is_about_owner else _squeezed(page.site_name)  # newspapers declare their subscription as a product
    things = [
        (kind, thing, _squeezed(text_of(thing.get("headline")) or text_of(thing.get("name"))))
        for thing in objects
        if (kind := _kind_of(types_of(thing)))
    ]
    named = [one for one in things if one[2] and one[2] in shown and one[2] != owner]
    for kind, thing, name in named or (things if len({name for _, _, name in things}) == 1 else []):
        data = _read_object(kind, thing)
        if kind == "company":
            is_it = is_about_owner or _squeezed(page.title).startswith(name)
            is_it = is_it and "name" in data and not data.keys().isdisjoint(("phone", "address"))
        else:
            is_it = kind == STORY or (bool(data) and (bool(named) or kind == "book" or "price" in data))
        if is_it:
            return kind, data
    return _open_graph(page.reading.meta)


@lru_cache(maxsize=256)
def _kind_of(types: frozenset[str]) -> str:
    """book, product, story or company, by the lower-case type names of an object; else ""."""
    known = {"book": {"book", "audiobook"}, "product": PRODUCTS, STORY: ARTICLES}
    known["company"] = {name for line in _lines_of("business_types.txt") for name in line}
    return next((kind for kind, names in known.items() if types & names), "")


def _open_graph(meta: dict[str, str]) -> tuple[str, Fields]:
    said = meta.get("og:type", "").lower()
    if said in ("article", "news") and day_of(meta.get("article:published_time", "")):
        return STORY, {}
    price, currency = (
        meta.get(f"product:price:{name}") or meta.get(f"og:price:{name}", "") for name in ("amount", "currency")
    )
    kind = "book" if "book:isbn" in meta else "product" if price or "product" in said else said.rpartition(".")[2]
    thing: Thing = {"name": meta.get("og:title"), "brand": meta.get("product:brand")}
    thing |= {"author": meta.get("book:author"), "isbn": meta.get("book:isbn")}
    fields = _read_object(kind, thing | {"offers": {"price": price, "priceCurrency": currency}})
    return (kind, fields) if fields else ("", {})


def _read_object(kind: str, thing: Thing) -> Fields:
    """The fields of a declared object; several authors are joined by commas."""
    thing = thing | {"whole_address": [_address(place) for place in _at(thing, "address")]}
    found: Fields = {}
    for name, one in _KINDS.get(kind, {}).items():
        values = [value for path in one.paths.split() for value in _at(thing, path)]
        texts = [text for value in values[:10] if (text := one.read(text_of(value)))]
        if texts:
            found[name] = one_line(", ".join(dict.fromkeys(texts)) if one.read is _person_of else texts[0], MAX_FIELD)
    return found


def _at(thing: object, path: str) -> list[object]:
    """The values at a path such as offers.price; of several objects on the way, the first is followed."""
    name, _, rest = path.partition(".")
    value = thing.get(name) if isinstance(thing, dict) else None
    values = value if isinstance(value, list) else [value]
    return (_at(values[0], rest) if rest else values[:5]) if values else []


def _address(place: object) -> str:
    """A postal address as text: a Chinese one from region to street, others from street to region."""
    named = [_at(place, name) for name in ("addressRegion", "addressLocality", "streetAddress")]
    parts = [text for values in named if values and (text := text_of(values[0]))]
    parts = [part for index, part in enumerate(parts) if not any(part in later for later in parts[index + 1 :])]
    return "".join(parts) if _HAN.search("".join(parts)) else ", ".join(reversed(parts))


_COLON = re.compile(r"[\s\u200e\u200f]{0,3}[:：](?!//)")
_BRACKETED = re.compile(r"[【\[［]([\w\s]{2,16})[】\]］]\s?[:：]?")
_WORD = re.compile(r"[^\s【\[［]+")
_SPELLED = re.compile(r"[\s.\-/_·•*#'’()（）\u200e\u200f]+")


@cache
def _lines_of(name: str) -> list[list[str]]:
    text = files("topicspider.page").joinpath(name).read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


@cache
def _labels() -> dict[str, str]:
    """Label to field name; "-" for labels that are no field, but end the value before them."""
    return {word: name for name, *words in reversed(_lines_of("field_labels.txt")) for word in words}


def _spelled(text: str) -> str:
    return _SPELLED.sub("", text[:60].rstrip(":： ")).lower()


def _labelled_values(reading: Reading, zones: list[str]) -> Iterator[Labelled]:
    """Every labelled value of the main and header zones; the value follows its label in the line, or is the next block (cell, dd, line)."""
    label = ""  # the previous block, if it was only a label
    for block in reading.blocks[:3000]:
        if zones[block.container] not in ("main", "header"):
            continue
        line = reading.block_text(block)
        if not line or len(line) > 600:
            label = ""
        elif _spelled(line) in _labels():
            label = f"{line.rstrip(':： ')}："
        else:
            line = label + _BRACKETED.sub(
                lambda found: f" {found[1]}：" if _spelled(found[1]) in _labels() else found[0], line
            )
            if ":" in line or "：" in line:
                yield from _values_of(line)
            label = ""


def _values_of(line: str) -> Iterator[Labelled]:
    """The value behind each label of a line: 作者：…."""
    marks: list[tuple[int, int, str]] = []  # where a label and its value begin
    reached = 0
    for colon in _COLON.finditer(line):
        start = max(reached, colon.start() - 40)
        for word in _WORD.finditer(line[start : colon.start()]):
            label = _spelled(line[start + word.start() : colon.start()])
            if len(label) <= 20 and label in _labels():
                marks.append((start + word.start(), colon.end(), label))
                reached = colon.end()
                break
    ends = [begin for begin, _, _ in marks[1:]] + [len(line)]
    for (_, after, label), end in zip(marks, ends, strict=False):
        if value := clean(line[after:end]):
            yield _labels()[label], value, label


def _kind_by_labels(page: Page, values: list[Labelled]) -> str:
    """book, product, company or story, where the labels are clear evidence; "" when they are not, or the page lists several."""
    names = {name for name, _, _ in values}
    isbns = {isbn for name, value, _ in values if name == "isbn" and (isbn := isbn_of(value))}
    several = {name for name in names if len({value for other, value, _ in values if other == name}) > 2}
    is_story = re.search("记者|記者", page.body[:MAX_FIELD]) or "source" in names
    if is_story and page.type == "article" and page.published and not isbns:
        return STORY
    is_labelled = {"publisher", "author"} <= names and names & {"price", "list_price", "published", "pages", "title"}
    if not several & {"author", "publisher", "isbn"} and (is_labelled or (isbns and names & {"publisher", "author"})):
        return "book"
    is_sold = names & {"price", "list_price"} and names & {"name", "brand", "model", "sku"}
    if is_sold and not several & {"name", "model", "price"}:
        return "product"
    reached = names & {"phone", "mobile", "email", "address"}
    is_named = "company" in names or (len(reached - {"mobile"}) > 1 and _SITE_PAGE.fullmatch(page.url))
    return "company" if reached and is_named and not several & {"company", "phone"} else ""


def _currency_of_page(page: Page) -> str:
    """The currency of 元 and of bare numbers: by the host's country domain, else CNY for a Chinese title; or ""."""
    country = page.url.partition("://")[2].partition("/")[0].rpartition(".")[2]
    return _BY_COUNTRY.get(country, "CNY" if _HAN.search(page.title) else "")


def _name_by_page(page: Page, kind: str) -> str:
    """The page's title; for a company a part of the title or a line that looks like a company's name (…公司, … Ltd), else the site's name."""
    if kind != "company":
        return _book_title(page.title) if kind == "book" else page.title
    lines = [page.reading.block_text(block).strip() for block in page.reading.blocks[:200]]
    parts = re.split(r"\s*[-_|–—｜·]+\s*", page.title)
    return next((text for text in parts + lines if len(text) < 60 and _COMPANY.fullmatch(text)), page.site_name)
