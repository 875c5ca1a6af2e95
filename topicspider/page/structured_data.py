"""Reads the typed fields of a news item, book, product or company: what the page declares, then what its labels say."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from topicspider.page.dates import day_of
from topicspider.page.metadata import ARTICLES, PRODUCTS, text_of, types_of
from topicspider.page.parsed_page import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topicspider.page.page import Page
    from topicspider.page.parsed_page import Block, Reading

Thing = dict[str, object]
Fields = dict[str, str]
Labelled = tuple[str, str, str]
"""(field, value, label) of one labelled value of the text, as in 出版社：云岭人民出版社."""

MAX_FIELD = 500  # characters
_SITE_PAGE = re.compile(
    r"https?://[^/?#]+/?(?:(?:index|default|home)\.\w{1,5})?|.*?//[^?#]*(?:contact|lianxi|lxwm|about|kontakt|impressum|company|gongsi|profile)[^?#]*",
    re.IGNORECASE,
)
"""The first page of a site, and pages on how to reach its owner: elsewhere a declared organisation is only the publisher."""

_CURRENCIES = {
    "¥": "CNY", "rmb": "CNY", "cny": "CNY", "人民币": "CNY", "人民幣": "CNY", "元": "", "圆": "", "$": "USD", "us$": "USD", "usd": "USD",
    "美元": "USD", "€": "EUR", "eur": "EUR", "欧元": "EUR", "£": "GBP", "gbp": "GBP", "英镑": "GBP", "hk$": "HKD", "hkd": "HKD", "港元": "HKD",
    "港币": "HKD", "港幣": "HKD", "nt$": "TWD", "twd": "TWD", "新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "円": "JPY", "jpy": "JPY", "日元": "JPY",
}  # fmt: skip
"""元 is of the page's country."""
_BY_COUNTRY = {"tw": "TWD", "hk": "HKD", "jp": "JPY", "cn": "CNY"}
_SIGNS = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_AMOUNT = r"\d[\d.,]{0,14}"
_PRICE = re.compile(
    rf"(?P<before>{_SIGNS})\s?:?\s?(?P<first>{_AMOUNT})|(?P<second>{_AMOUNT})\s?(?P<after>{_SIGNS})", re.IGNORECASE
)
_NUMBER = re.compile(r"(?P<whole>\d[\d.,]*?)(?:[.,](?P<cents>\d{1,2}))?[.,]?")
_ISBN = re.compile(r"(?<![\d-])(?:97[89](?:[ –-]?\d){9}[ –-]?\d|\d(?:[ –-]?\d){8}[ –-]?[\dXx])(?![\d-]?\d)")
_PHONE = re.compile(r"(?<![\d.])(?:\+\s?\d{1,3}[\s-]?)?(?:\(\+?\d{1,5}\)|\d)[\d\s()-]{4,18}\d(?![\d.])")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.ASCII)
_CLOCK = re.compile(r"[T\s日]\s?([01]?\d|2[0-3])[:时時]([0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-][01]\d:?[0-5]\d)?")
_YEAR_MONTH = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?:\s?[-/.年]\s?(0?[1-9]|1[0-2])(?!\d))?")
_ROLE = re.compile(r"[\s,，]{0,3}[(（\[]?\s?(?:编著|編著|主编|主編|译注|著|编|編|译|譯|撰|绘|繪)[)）\]]?$")
_REPORTER = re.compile(r"(?:记者|記者)[\s:：|／/]?\s?([\u3400-\u9fff·]{2,4})(?=[)）】\],，\s])")
_QUOTED = re.compile(r"[《【\[]([^《》]{1,100})[》】\]]")
_COMPANY = re.compile(
    r".{2,40}(?:公司|集团|集團|厂|廠|商行|事务所|工作室|研究院|酒店|旅行社|\bLtd\.?|\bInc\.?|\bLLC|\bGmbH|\bCo\.?)$",
    re.IGNORECASE,
)
_COLON = re.compile(r"[\s\u200e\u200f]{0,3}[:：](?!//)")
_BRACKETED = re.compile(r"[【\[［]([\w\s]{2,16})[】\]］]\s?[:：]?")
_SPELLED = re.compile(r"[\s.\-/_·•*#'’()（）\u200e\u200f]+")
_EDGES = " \t\u3000|｜,，;；、/·:：»>[]【】［］\u200e\u200f"
_HAN = re.compile(r"[\u3400-\u9fff]")


def structured_data(page: Page, zones: list[str], objects: list[Thing]) -> tuple[Fields, Fields]:
    """The typed fields with kind, {} when the page is about none, and the source of each: declared, og, a label, title, byline, text.

    What the page declares, completed by its labels; by labels alone only on good evidence.
    """
    fields, source = _declared(page, objects)
    values = list(labelled_values(page.reading, zones))
    kind = fields.get("kind") or (kind_by_labels(page, values) if page.type != "forum" else "")
    if not kind:
        return {}, {}
    why = {"kind": "text"} | dict.fromkeys(fields, source)
    fields = {"kind": kind} | fields
    for name, (text, label) in _shown(page, kind, values).items():
        if text and name not in fields and not (name == "currency" and why.get("price") == source):
            fields[name], why[name] = one_line(text, MAX_FIELD), label
    return fields, {name: why[name] for name in fields}


# --- values ----------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """One line of at most 500 characters, without separators at its ends."""
    return one_line(text, MAX_FIELD).strip(_EDGES)


def _narrow(text: str) -> str:
    """The start of a text with full-width letters, digits and signs made ordinary."""
    return unicodedata.normalize("NFKC", text[:300])


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text[:1000]).lower()


def _first_word(text: str) -> str:
    return "".join(re.split(r"[\s(（]", clean(text))[:1])


def _digits(text: str) -> str:
    return "".join(re.findall(r"\d{1,5}", text)[:1])


def price_of(text: str) -> str:
    """The first price such as ¥1,249.00 or 1.249,00 EUR, or a bare number, with a decimal point and nothing else; or ""."""
    text = _narrow(text).strip()
    price = _PRICE.search(text)
    number = _NUMBER.fullmatch((price["first"] or price["second"]) if price else text[:15])
    if not number:
        return ""
    whole = re.sub(r"[.,]", "", number["whole"]).lstrip("0") or "0"
    return f"{whole}.{number['cents']}" if number["cents"] else whole


def currency_of(text: str) -> str:
    """The ISO code of the first price's currency, or of one that is named alone; or ""."""
    text = _narrow(text).strip()
    price = _PRICE.search(text)
    sign = (price["before"] or price["after"]) if price else text
    return _CURRENCIES.get(sign.lower(), sign.upper() if re.fullmatch("[A-Za-z]{3}", sign) else "")


def isbn_of(text: str) -> str:
    """The first ISBN whose check digit is right, without hyphens; 13 digits go before ten; or ""."""
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


def mail_of(text: str) -> str:
    """The first mail address, or ""."""
    mail = _MAIL.search(_narrow(text).replace("(at)", "@").replace("[at]", "@").removeprefix("mailto:"))
    return mail[0].rstrip(".-") if mail else ""


def moment_of(text: str) -> str:
    """YYYY-MM-DD, with THH:MM and the offset from UTC when they are named; "" without a day."""
    day = day_of(text[:100])
    clock = _CLOCK.search(_narrow(text[:100])) if day else None
    if not clock:
        return day
    zone = re.sub(r"(\d\d)(\d\d)$", r"\1:\2", (clock[3] or "").replace("Z", "+00:00"))
    return f"{day}T{int(clock[1]):02}:{clock[2]}{zone}"


def year_of(text: str) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD: what a book says of its year, or ""."""
    match = _YEAR_MONTH.search(_narrow(text[:100]))
    return day_of(text[:100]) or ("-".join(part.zfill(2) for part in match.groups() if part) if match else "")


def person_of(text: str) -> str:
    """A name without 著, 编著 and the like behind it; profiles' addresses are none."""
    text = clean(text)
    return "" if "://" in text else _ROLE.sub("", text).rstrip(_EDGES) or text


def _book_title(text: str) -> str:
    quoted = _QUOTED.match(clean(text))
    return clean(quoted[1] if quoted else text)


# --- fields ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """How to read one field: its paths in JSON-LD and microdata, its Open Graph tag, its names in field_labels.txt."""

    read: Callable[[str], str]
    paths: str = ""
    tag: str = ""
    labels: str = ""


_OFFERS = ("offers.{0}", "offers.offers.{0}", "offers.priceSpecification.{0}")
_PRICES = f"{' '.join(_OFFERS).format('price')} offers.lowPrice"
_PRICED = {
    "price": Field(price_of, _PRICES, "product:price:amount", "price list_price"),
    "currency": Field(
        currency_of, " ".join(_OFFERS).format("priceCurrency"), "product:price:currency", "price list_price"
    ),
}
_KINDS: dict[str, dict[str, Field]] = {
    "book": {
        "title": Field(_book_title, "name", "og:title", "title"),
        "author": Field(person_of, "author", "book:author", "author"),
        "translator": Field(person_of, "translator", "", "translator"),
        "publisher": Field(clean, "publisher", "", "publisher"),
        "isbn": Field(isbn_of, "isbn gtin13 workExample.isbn", "book:isbn", "isbn"),
        "published": Field(year_of, "datePublished", "", "published year"),
        "pages": Field(_digits, "numberOfPages", "", "pages"),
        **_PRICED,
    },
    "product": {
        "name": Field(clean, "name", "og:title", "name"),
        "brand": Field(clean, "brand", "product:brand", "brand"),
        "model": Field(clean, "model", "", "model"),
        "sku": Field(clean, "sku", "", "sku"),
        **_PRICED,
        "seller": Field(clean, "offers.seller", "", "seller company"),
    },
    "news": {
        "headline": Field(str, "headline name", "og:title"),
        "published": Field(moment_of, "datePublished dateCreated", "article:published_time"),
        "author": Field(person_of, "author", "article:author", "reporter author"),
        "source": Field(clean, "publisher", "og:site_name"),
    },
    "company": {
        "name": Field(clean, "name legalName", "", "company"),
        "contact": Field(_first_word, "", "", "contact"),
        "phone": Field(phone_of, "telephone contactPoint.telephone", "", "phone mobile"),
        "fax": Field(phone_of, "faxNumber contactPoint.faxNumber", "", "fax"),
        "email": Field(mail_of, "email contactPoint.email", "", "email"),
        "address": Field(clean, "whole_address address", "", "address"),
        "postcode": Field(_first_word, "address.postalCode", "", "postcode"),
        "website": Field(lambda text: "".join(text.split()[:1]), "url", "", "website"),
    },
}
_OG_KINDS = {"book": "book", "books.book": "book", "product": "product", "og:product": "product", "product.item": "product", "article": "news", "news": "news"}  # fmt: skip


# --- what is declared: JSON-LD, microdata, Open Graph ----------------------------------------------


def _declared(page: Page, objects: list[Thing]) -> tuple[Fields, str]:
    """(fields with kind, their source): objects that the page's title names go before an only one; then Open Graph tags."""
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
        if kind == "company" and not (is_about_owner or _squeezed(page.title).startswith(name)):
            continue
        data = _read_object(kind, thing)
        is_reached = kind != "company" or (data.get("name") and (data.get("phone") or data.get("address")))
        if data and is_reached and (named or kind != "product" or "price" in data):
            return {"kind": kind} | data, "declared"
    tags = _open_graph(page.reading.meta)
    return (tags, "og") if len(tags) > 1 else ({}, "")


@cache
def _lines_of(name: str) -> list[list[str]]:
    text = files("topicspider.page").joinpath(name).read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def _kind_of(types: frozenset[str]) -> str:
    """book, product, news or company by the lower-case types of an object, or ""."""
    if types & {"book", "audiobook"}:
        return "book"
    if types & PRODUCTS:
        return "product"
    if types & ARTICLES:
        return "news"
    return "company" if any(not types.isdisjoint(words) for words in _lines_of("business_types.txt")) else ""


def _read_object(kind: str, thing: Thing) -> Fields:
    """The fields of a declared object; several authors are joined by commas."""
    thing = thing | {"whole_address": [_address(place) for place in _at(thing, "address")]}
    found: Fields = {}
    for name, one in _KINDS[kind].items():
        values = [value for path in one.paths.split() for value in _at(thing, path)]
        texts = [text for value in values[:10] if (text := one.read(text_of(value)))]
        if texts:
            found[name] = one_line(", ".join(dict.fromkeys(texts)) if one.read is person_of else texts[0], MAX_FIELD)
    return found


def _at(thing: object, path: str) -> list[object]:
    """The values at a path such as offers.price, of the first of several objects on the way."""
    name, _, rest = path.partition(".")
    value = thing.get(name) if isinstance(thing, dict) else None
    values = value if isinstance(value, list) else [value]
    return (_at(values[0], rest) if rest else values[:5]) if values else []


def _address(place: object) -> str:
    """Chinese addresses from the large to the small, others from the small to the large."""
    named = [_at(place, name) for name in ("addressRegion", "addressLocality", "streetAddress")]
    parts = [text for values in named if values and (text := text_of(values[0]))]
    parts = [part for index, part in enumerate(parts) if not any(part in later for later in parts[index + 1 :])]
    return "".join(parts) if _HAN.search("".join(parts)) else ", ".join(reversed(parts))


def _open_graph(meta: dict[str, str]) -> Fields:
    if "og:price:amount" in meta:
        meta = {name.replace("og:price", "product:price"): text for name, text in meta.items()}
    kind = _OG_KINDS.get(meta.get("og:type", "").lower(), "")
    kind = "book" if "book:isbn" in meta else "product" if "product:price:amount" in meta else kind
    named = {name: one.read(meta.get(one.tag, "")) for name, one in _KINDS.get(kind, {}).items() if one.tag}
    if kind == "news" and not named["published"]:
        return {}
    return {"kind": kind} | {name: text for name, text in named.items() if text}


# --- labels and their values -----------------------------------------------------------------------


@cache
def _labels() -> dict[str, str]:
    """Label to field; "" for labels of what is no field: they end the value before them."""
    labels: dict[str, str] = {}
    for name, *words in _lines_of("field_labels.txt"):
        for word in words:
            labels.setdefault(word, "" if name == "-" else name)
    return labels


def _spelled(text: str) -> str:
    return _SPELLED.sub("", text[:60].rstrip(":： ")).lower()


def labelled_values(reading: Reading, zones: list[str]) -> Iterator[Labelled]:
    """Every labelled value outside menus, sidebars and footers: on one line, or in the next cell, dd or line."""
    blocks = [block for block in reading.blocks[:3000] if zones[block.container] in ("main", "header")]
    label = ""  # of the block before, when it was nothing else
    for block in blocks:
        line = reading.block_text(block)
        if not line or len(line) > 600:
            label = ""
            continue
        name = _labels().get(_spelled(line))
        marks = [] if name is not None else list(_marks(line))
        if label and name is None and not marks and len(line) <= MAX_FIELD:
            yield _labels()[label], clean(line), label
        is_label = name and (line.rstrip()[-1:] in (":", "：") or _is_cell(reading, block))
        label = _spelled(line) if is_label else ""
        ends = [start for start, _, _ in marks[1:]] + [len(line)]
        for (_, after, found), end in zip(marks, ends, strict=False):
            if _labels()[found] and (value := clean(line[after:end])):
                yield _labels()[found], value, found


def _is_cell(reading: Reading, block: Block) -> bool:
    """Whether it stands in a cell of a table or list of terms, at most two containers up."""
    index = block.container
    for _ in range(3):
        if index >= 0 and reading.containers[index].tag in ("td", "th", "dt", "dd"):
            return True
        index = reading.containers[index].parent if index >= 0 else -1
    return False


def _marks(line: str) -> Iterator[tuple[int, int, str]]:
    """(start of the label, start of the value, label) of each label of a line: 作者：, or 【作者】."""
    reached = 0
    found = [(match.start(1), match.end(1), match.end()) for match in _BRACKETED.finditer(line)]
    found += [(max(0, match.start() - 40), match.start(), match.end()) for match in _COLON.finditer(line)]
    for start, end, after in sorted(found, key=lambda one: one[2]):
        for word in re.finditer(r"[^\s【\[［]+", line[max(start, reached) : end]):
            begin = max(start, reached) + word.start()
            if len(label := _spelled(line[begin:end])) <= 20 and label in _labels():
                yield begin, after, label
                reached = after
                break


# --- kinds and fields by labels --------------------------------------------------------------------


def kind_by_labels(page: Page, values: list[Labelled]) -> str:
    """news, book, product or company when its labels are plain evidence; "" when they are not, or the page lists several."""
    names = {name for name, _, _ in values}
    isbns = {isbn for name, value, _ in values if name == "isbn" and (isbn := isbn_of(value))}
    several = {name for name in names if len({value for other, value, _ in values if other == name}) > 2}
    has_source = "source" in names or _REPORTER.search(page.body[:MAX_FIELD])
    if has_source and page.type == "article" and page.published and not isbns:
        return "news"
    is_labelled = {"publisher", "author"} <= names and names & {"price", "list_price", "published", "pages", "title"}
    if not several & {"author", "publisher", "isbn"} and (is_labelled or (isbns and names & {"publisher", "author"})):
        return "book"
    is_sold = names & {"price", "list_price"} and names & {"name", "brand", "model", "sku"}
    if is_sold and not several & {"name", "model", "price"}:
        return "product"
    reached = names & {"phone", "mobile", "email", "address"}
    is_named = "company" in names or (len(reached - {"mobile"}) > 1 and _SITE_PAGE.fullmatch(page.url))
    return "company" if reached and is_named and not several & {"company", "phone"} else ""


def _shown(page: Page, kind: str, values: list[Labelled]) -> dict[str, tuple[str, str]]:
    """(value, source) of the fields of a kind: by their labels, else by what was read of the page."""
    found: dict[str, tuple[str, str]] = {}
    for name, one in _KINDS[kind].items():
        own = [value for wanted in one.labels.split() for value in values if value[0] == wanted]
        found[name] = next(((text, label) for _, value, label in own if (text := one.read(value))), ("", ""))
    if found.get("price", ("", ""))[0] and not found["currency"][0]:
        found["currency"] = (_currency_of_page(page), found["price"][1])
    known = {name: value for name, value in _known(page, kind, values).items() if not found[name][0]}
    return found | known


def _known(page: Page, kind: str, values: list[Labelled]) -> dict[str, tuple[str, str]]:
    if kind == "company":
        return {"name": (_company_name(page), "text")}
    if kind != "news":
        return {"title": (_book_title(page.title), "title")} if kind == "book" else {"name": (page.title, "title")}
    reporter = _REPORTER.search(page.body[:MAX_FIELD])
    sources = ((value, label) for name, value, label in values if name == "source")
    source = next(((value.split()[0] if _HAN.search(value) else value, label) for value, label in sources), ("", ""))
    moments = (moment_of(page.reading.block_text(block)) for block in page.reading.blocks[:200])
    return {
        "headline": (page.title, "title"),
        "published": (next((one for one in moments if one.startswith(f"{page.published}T")), page.published), "text"),
        "source": source if source[0] else (page.site_name, "site name"),
        "author": (page.author or (reporter[1] if reporter else ""), "byline"),
    }


def _currency_of_page(page: Page) -> str:
    """The currency of 元 and of bare numbers: by the country of the host, CNY on other Chinese pages."""
    host = page.url.partition("://")[2].partition("/")[0]
    return _BY_COUNTRY.get(host.rpartition(".")[2], "CNY" if _HAN.search(page.title) else "")


def _company_name(page: Page) -> str:
    """A short line of the page or a part of its title that ends as names of companies do, else the site's name."""
    lines = [page.reading.block_text(block).strip() for block in page.reading.blocks[:200]]
    parts = re.split(r"\s*[-_|–—｜·]+\s*", page.title)
    return next((text for text in parts + lines if len(text) < 60 and _COMPANY.fullmatch(text)), page.site_name)
