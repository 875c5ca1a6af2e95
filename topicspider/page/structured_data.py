"""Reads the typed fields of a news item, book, product or company: what the page declares, then what its labels say."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from topicspider.page.dates import day_of
from topicspider.page.metadata import ARTICLES, PRODUCTS, text_of, types_of
from topicspider.page.parsed_page import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topicspider.page.parsed_page import Block, Reading

Thing = dict[str, object]
Fields = dict[str, str]

MAX_FIELD = 500  # characters
_CELLS = frozenset({"td", "th", "dt", "dd"})
_SITE_PAGE = re.compile(
    r"https?://[^/?#]+/?(?:(?:index|default|home)\.\w{1,5})?|.*?//[^?#]*(?:contact|lianxi|lxwm|about|kontakt|impressum|company|gongsi|profile)[^?#]*",
    re.IGNORECASE,
)
"""The first page of a site, and pages on how to reach its owner: elsewhere a declared organisation is only the publisher."""

_CURRENCIES = {
    "¥": "CNY", "rmb": "CNY", "cny": "CNY", "人民币": "CNY", "人民幣": "CNY", "元": "CNY", "圆": "CNY", "$": "USD", "us$": "USD", "usd": "USD",
    "美元": "USD", "€": "EUR", "eur": "EUR", "欧元": "EUR", "£": "GBP", "gbp": "GBP", "英镑": "GBP", "hk$": "HKD", "hkd": "HKD", "港元": "HKD",
    "港币": "HKD", "港幣": "HKD", "nt$": "TWD", "twd": "TWD", "新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "円": "JPY", "jpy": "JPY", "日元": "JPY",
}  # fmt: skip
_SIGNS = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_AMOUNT = r"\d[\d.,]{0,14}"
_PRICE = re.compile(
    rf"(?P<before>{_SIGNS})\s?:?\s?(?P<first>{_AMOUNT})|(?P<second>{_AMOUNT})\s?(?P<after>{_SIGNS})", re.IGNORECASE
)
_CODE = re.compile(r"[A-Za-z]{3}")
_ISBN = re.compile(r"(?<![\d-])(?:97[89](?:[ –-]?\d){9}[ –-]?\d|\d(?:[ –-]?\d){8}[ –-]?[\dXx])(?![\d-]?\d)")
_PHONE = re.compile(r"(?<![\d.])(?:\+\s?\d{1,3}[\s-]?)?(?:\(\+?\d{1,5}\)|\d)[\d\s()-]{4,18}\d(?![\d.])")
_AREA = re.compile(r"\(?(0\d{1,3})(?:\)\s?-?\s?|-)(\d{3,4})[\s-]?(\d{3,4})")
_MAIL = re.compile(r"[\w.+-]{1,64}(?:@|＠|\(at\)|\[at\])[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.ASCII)
_CLOCK = re.compile(r"[T\s日]\s?([01]?\d|2[0-3])[:：时時]([0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-][01]\d:?[0-5]\d)?")
_YEAR_MONTH = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?:\s?[-/.年]\s?(0?[1-9]|1[0-2])(?!\d))?")
_ROLE = re.compile(r"[\s,，]{0,3}[(（\[]?\s?(?:编著|編著|主编|主編|译注|著|编|編|译|譯|撰|绘|繪)[)）\]]?$")
_REPORTER = re.compile(r"(?:记者|記者)[\s:：|／/]?\s?([\u3400-\u9fff·]{2,4})(?=[)）】\],，\s])")
_QUOTED = re.compile(r"^[《【\[]([^《》]{1,100})[》】\]]")
_COMPANY = re.compile(
    r".{2,40}(?:公司|集团|集團|厂|廠|商行|事务所|工作室|研究院|酒店|旅行社|\bLtd\.?|\bInc\.?|\bLLC|\bGmbH|\bCo\.?)$",
    re.IGNORECASE,
)
_COLON = re.compile(r"[\s\u200e\u200f]{0,3}[:：](?!//)")
_BRACKETED = re.compile(r"[【\[［](?P<label>[\w\s]{2,16})[】\]］]\s?[:：]?")
_SPELLED = re.compile(r"[\s.\-/_·•*#'’()（）\u200e\u200f]+")
_EDGES = " \t\u3000|｜,，;；、/·:：»>"
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the typed fields are read from: the parsed page, its declared objects, and what was read of it already."""

    reading: Reading
    zones: list[str]
    objects: list[Thing]
    url: str
    title: str
    body: str
    type: str
    published: str
    author: str
    site_name: str


@dataclass(frozen=True, slots=True)
class StructuredData:
    """``fields`` with ``kind``, {} when the page is about none; ``why`` has the source of each: declared, og, a label, title, byline, text."""

    fields: Fields = field(default_factory=dict)
    why: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """One value of the text with its label, as in 出版社：云岭人民出版社; ``block`` is the index of its block."""

    field: str
    value: str
    label: str
    block: int


def structured_data(facts: PageFacts) -> StructuredData:
    """The typed fields: what the page declares, completed by its labels; by labels alone only on good evidence."""
    declared, source = _declared(facts)
    values = labelled_values(facts.reading, facts.zones)
    kind = declared.get("kind") or (kind_by_labels(facts, values) if facts.type != "forum" else "")
    if not kind:
        return StructuredData()
    fields, why = {"kind": kind} | declared, dict.fromkeys(declared, source)
    why.setdefault("kind", "text")
    for name, (value, label) in _BY_LABELS[kind](facts, values).items():
        if value and name not in fields and not (name == "currency" and "price" in declared):
            fields[name], why[name] = one_line(value, MAX_FIELD), label
    return StructuredData(fields, {name: why[name] for name in fields})


# --- what is declared: JSON-LD, microdata, Open Graph ----------------------------------------------


def _declared(facts: PageFacts) -> tuple[Fields, str]:
    """(fields with kind, their source): objects that the page's title names go before an only one; then Open Graph tags."""
    is_about_owner = _SITE_PAGE.fullmatch(facts.url) is not None
    headings = " ".join(facts.reading.block_text(facts.reading.blocks[index]) for index in facts.reading.headings[:4])
    shown = squeezed(f"{facts.title} {facts.reading.title} {headings}")
    owner = "" if is_about_owner else squeezed(facts.site_name)  # newspapers declare their subscription as a product
    things = [(kind, thing) for thing in facts.objects if (kind := _kind_of(types_of(thing)))]
    names = [squeezed(_name_of(thing)) for _, thing in things]
    named = [pair for pair, name in zip(things, names, strict=True) if name and name in shown and name != owner]
    for kind, thing in named or (things if len({_name_of(thing) for _, thing in things}) == 1 else []):
        if kind == "company" and not (is_about_owner or squeezed(facts.title).startswith(squeezed(_name_of(thing)))):
            continue
        data = _filled(_READERS[kind](thing))
        if data and (named or kind != "product" or "price" in data):
            return {"kind": kind} | data, "declared"
    tags = _open_graph(facts.reading.meta)
    return (tags, "og") if len(tags) > 1 else ({}, "")


@cache
def _company_types() -> frozenset[str]:
    text = files("topicspider.page").joinpath("business_types.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def _kind_of(types: frozenset[str]) -> str:
    """book, product, news or company by the lower-case types of an object, or ""."""
    if types & {"book", "audiobook"}:
        return "book"
    if types & PRODUCTS:
        return "product"
    if types & ARTICLES:
        return "news"
    return "company" if types & _company_types() else ""


def _name_of(thing: Thing) -> str:
    return text_of(thing.get("headline")) or text_of(thing.get("name"))


_TAGS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "book": (("book", "books.book"), {"title": "og:title", "author": "book:author", "isbn": "book:isbn"}),
    "product": (
        ("product", "og:product", "product.item"),
        {
            "name": "og:title",
            "brand": "product:brand",
            "price": "product:price:amount",
            "currency": "product:price:currency",
        },
    ),
    "news": (
        ("article", "news"),
        {
            "headline": "og:title",
            "published": "article:published_time",
            "author": "article:author",
            "source": "og:site_name",
        },
    ),
}
"""Of each kind the values of og:type, and the tag of each field."""


def _open_graph(meta: dict[str, str]) -> Fields:
    meta = (
        {name.replace("og:price", "product:price"): text for name, text in meta.items()}
        if "og:price:amount" in meta
        else meta
    )
    declared = meta.get("og:type", "").lower()
    kind = next((kind for kind, (types, _tags) in _TAGS.items() if declared in types), "")
    kind = "book" if "book:isbn" in meta else "product" if "product:price:amount" in meta else kind
    fields = {name: meta[tag] for name, tag in _TAGS[kind][1].items() if tag in meta} if kind else {}
    fields |= {name: read(fields[name]) for name, read in _SPELLINGS.items() if name in fields}
    if kind == "news" and not fields.get("published"):
        return {}
    return {"kind": kind} | _filled(fields)


def _person(text: str) -> str:
    """A name; profiles' addresses are none."""
    return "" if "://" in text else text


def _filled(fields: Fields) -> Fields:
    return {name: text for name, value in fields.items() if (text := one_line(value, MAX_FIELD))}


def _first(value: object) -> Thing:
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def _names(value: object) -> str:
    """The names of one or several persons, joined by commas."""
    values = value if isinstance(value, list) else [value]
    names = [text_of(person) for person in values[:5]]
    return ", ".join(dict.fromkeys(name for name in names if name and "://" not in name))


def _news(thing: Thing) -> Fields:
    stamps = (moment_of(text_of(thing.get(name))) for name in ("datePublished", "dateCreated"))
    return {
        "headline": _name_of(thing),
        "published": next(filter(None, stamps), ""),
        "author": _names(thing.get("author")),
        "source": text_of(thing.get("publisher")),
    }


def _book(thing: Thing) -> Fields:
    thing = _first(thing.get("workExample")) | thing
    return {
        "title": text_of(thing.get("name")),
        "author": _names(thing.get("author")),
        "translator": _names(thing.get("translator")),
        "publisher": text_of(thing.get("publisher")),
        "isbn": isbn_of(text_of(thing.get("isbn", thing.get("gtin13")))),
        "published": year_of(text_of(thing.get("datePublished"))),
        "pages": text_of(thing.get("numberOfPages")),
    } | _offer(thing)


def _product(thing: Thing) -> Fields:
    named = {name: text_of(thing.get(name)) for name in ("name", "brand", "model", "sku")}
    return named | _offer(thing)


def _offer(thing: Thing) -> Fields:
    offer = _first(thing.get("offers"))
    offer |= _first(offer.get("offers"))
    offer = _first(offer.get("priceSpecification")) | offer
    return {
        "price": amount_of(re.sub(r"^[^\d]{0,5}", "", text_of(offer.get("price", offer.get("lowPrice"))))),
        "currency": currency_of(text_of(offer.get("priceCurrency"))),
        "seller": text_of(offer.get("seller")),
    }


def _company(thing: Thing) -> Fields:
    """The name and how to reach it; nothing when it says neither a phone nor an address."""
    thing = _first(thing.get("contactPoint")) | thing
    place = _first(thing.get("address"))
    fields = {
        "name": text_of(thing.get("name", thing.get("legalName"))),
        "phone": phone_of(text_of(thing.get("telephone"))),
        "fax": phone_of(text_of(thing.get("faxNumber"))),
        "email": mail_of(text_of(thing.get("email"))),
        "address": _address(place) or text_of(thing.get("address")),
        "postcode": text_of(place.get("postalCode")),
        "website": text_of(thing.get("url")),
    }
    return fields if fields["name"] and (fields["phone"] or fields["address"]) else {}


def _address(place: Thing) -> str:
    """Chinese addresses from the large to the small, others from the small to the large."""
    parts = [text_of(place.get(name)) for name in ("addressRegion", "addressLocality", "streetAddress")]
    parts = [
        part for index, part in enumerate(parts) if part and not any(part in later for later in parts[index + 1 :])
    ]
    return "".join(parts) if _HAN.search("".join(parts)) else ", ".join(reversed(parts))


_READERS: dict[str, Callable[[Thing], Fields]] = {
    "book": _book,
    "product": _product,
    "news": _news,
    "company": _company,
}


# --- labels and their values -----------------------------------------------------------------------


@cache
def _labels() -> dict[str, str]:
    """Label to field; "" for labels of what is no field: they end the value before them."""
    text = files("topicspider.page").joinpath("field_labels.txt").read_text(encoding="utf-8")
    labels: dict[str, str] = {}
    for line in text.splitlines():
        name, *words = line.split()
        if name != "#":
            for word in words:
                labels.setdefault(word, "" if name == "-" else name)
    return labels


def _spelled(text: str) -> str:
    return _SPELLED.sub("", text[:60]).lower()


def labelled_values(reading: Reading, zones: list[str]) -> list[LabelledValue]:
    """Every labelled value outside menus, sidebars and footers: on one line, or in the next cell, dd or line."""
    values: list[LabelledValue] = []
    blocks = [
        (index, block)
        for index, block in enumerate(reading.blocks[:3000])
        if zones[block.container] in ("main", "header")
    ]
    for place, (index, block) in enumerate(blocks):
        line = reading.block_text(block)
        if not line or len(line) > 600:
            continue
        name = _labels().get(_spelled(line.rstrip(":： ")))
        if name is None:
            values.extend(_on_line(line, index))
        elif name and place + 1 < len(blocks) and (value := _beside(reading, block, blocks[place + 1][1], line)):
            values.append(LabelledValue(name, clean(value), _spelled(line.rstrip(":： ")), index))
    return [value for value in values if value.field and value.value]


def _beside(reading: Reading, block: Block, after: Block, line: str) -> str:
    """The text of the next block when the label ends with a colon or both are cells; "" when it is a label itself."""
    value = reading.block_text(after)
    is_cell = _cell_tag(reading, block) in _CELLS and _cell_tag(reading, after) in _CELLS
    if len(value) > MAX_FIELD or not (is_cell or line.rstrip()[-1:] in (":", "：")):
        return ""
    return "" if _spelled(value.rstrip(":： ")) in _labels() or any(True for _ in _marks(value)) else value


def _cell_tag(reading: Reading, block: Block) -> str:
    """The tag of the cell around a block, at most two containers up, else of its own container."""
    index = block.container
    for _ in range(3):
        if index < 0 or reading.containers[index].tag in _CELLS:
            break
        index = reading.containers[index].parent
    return reading.containers[index].tag if index >= 0 else ""


def _on_line(line: str, block: int) -> list[LabelledValue]:
    """The labelled values of one line: each goes on to the next label."""
    marks = list(_marks(line))
    ends = [start for start, *_ in marks[1:]] + [len(line)] * bool(marks)
    return [
        LabelledValue(name, clean(line[after:end]), label, block)
        for (_, after, name, label), end in zip(marks, ends, strict=True)
    ]


def _marks(line: str) -> Iterator[tuple[int, int, str, str]]:
    """(start of the label, start of the value, field, label) of each label of a line."""
    reached = 0
    for bracketed in _BRACKETED.finditer(line):
        if (name := _labels().get(_spelled(bracketed["label"]))) is not None:
            yield bracketed.start(), bracketed.end(), name, _spelled(bracketed["label"])
            reached = bracketed.end()
    for colon in _COLON.finditer(line, reached):
        head = line[max(reached, colon.start() - 40) : colon.start()]
        for word in re.finditer(r"\S+", head):
            label = _spelled(head[word.start() :])
            if len(label) <= 20 and (name := _labels().get(label)) is not None:
                yield colon.start() - len(head) + word.start(), colon.end(), name, label
                reached = colon.end()
                break


# --- kinds and fields by labels --------------------------------------------------------------------


def kind_by_labels(facts: PageFacts, values: list[LabelledValue]) -> str:
    """news, book, product or company when its labels are plain evidence; "" when they are not, or the page lists several."""
    names = {value.field for value in values}
    isbns = {isbn for value in values if value.field == "isbn" and (isbn := isbn_of(value.value))}
    several = {name for name in names if len({value.value for value in values if value.field == name}) > 2}
    has_source = "source" in names or _REPORTER.search(facts.body[:MAX_FIELD])
    if has_source and facts.type == "article" and facts.published and not isbns:
        return "news"
    is_labelled = {"publisher", "author"} <= names and names & {"price", "list_price", "published", "pages", "title"}
    if not several & {"author", "publisher", "isbn"} and (is_labelled or (isbns and names & {"publisher", "author"})):
        return "book"
    is_sold = names & {"price", "list_price"} and names & {"name", "brand", "model", "sku"}
    if is_sold and not several & {"name", "model", "price"}:
        return "product"
    reached = names & {"phone", "mobile", "email", "address"}
    is_named = "company" in names or (len(reached - {"mobile"}) > 1 and _SITE_PAGE.fullmatch(facts.url))
    return "company" if reached and is_named and not several & {"company", "phone"} else ""


Labelled = dict[str, tuple[str, str]]


def _pick(values: list[LabelledValue], read: Callable[[str], str], *names: str) -> tuple[str, str]:
    """(value, label) of the first labelled value that ``read`` makes something of, field by field; ("", "") when none."""
    for name in names:
        for value in values:
            if value.field == name and (text := read(value.value)):
                return text, value.label
    return "", ""


def _price_fields(facts: PageFacts, values: list[LabelledValue]) -> Labelled:
    home = _currency_of_page(facts)
    for name in ("price", "list_price"):
        for value in values:
            amount, currency = price_of(value.value, home) if value.field == name else ("", "")
            if amount:
                return {"price": (amount, value.label), "currency": (currency, value.label)}
    return {}


def _currency_of_page(facts: PageFacts) -> str:
    """The currency of 元 and of bare numbers: by the country of the host, CNY on other Chinese pages."""
    host = facts.url.partition("://")[2].partition("/")[0]
    by_country = {"tw": "TWD", "hk": "HKD", "jp": "JPY", "cn": "CNY"}
    return by_country.get(host.rpartition(".")[2], "CNY" if _HAN.search(facts.title) else "")


def _book_fields(facts: PageFacts, values: list[LabelledValue]) -> Labelled:
    fields = {
        "title": _pick(values, _book_title, "title"),
        "author": _pick(values, author_name, "author"),
        "translator": _pick(values, author_name, "translator"),
        "publisher": _pick(values, clean, "publisher"),
        "isbn": _pick(values, isbn_of, "isbn"),
        "published": _pick(values, year_of, "published", "year"),
        "pages": _pick(values, lambda text: "".join(re.findall(r"\d{1,5}", text)[:1]), "pages"),
    }
    if not fields["title"][0]:
        fields["title"] = (_book_title(facts.title), "title")
    return fields | _price_fields(facts, values)


def _book_title(text: str) -> str:
    quoted = _QUOTED.search(clean(text))
    return clean(quoted[1]) if quoted else clean(text)


def _product_fields(facts: PageFacts, values: list[LabelledValue]) -> Labelled:
    fields = {name: _pick(values, clean, name) for name in ("name", "brand", "model", "sku")}
    fields["seller"] = _pick(values, clean, "seller", "company")
    if not fields["name"][0]:
        fields["name"] = (facts.title, "title")
    return fields | _price_fields(facts, values)


def _company_fields(facts: PageFacts, values: list[LabelledValue]) -> Labelled:
    name = _pick(values, clean, "company")
    return {
        "name": name if name[0] else (_company_name(facts), "text"),
        "contact": _pick(values, lambda text: re.split(r"[\s(（]", clean(text))[0], "contact"),
        "phone": _pick(values, phone_of, "phone", "mobile"),
        "fax": _pick(values, phone_of, "fax"),
        "email": _pick(values, mail_of, "email"),
        "address": _pick(values, clean, "address"),
        "postcode": _pick(values, lambda text: "".join(re.findall(r"[A-Z\d][A-Z\d -]{3,9}", text)[:1]), "postcode"),
        "website": _pick(values, lambda text: clean(text).split()[0], "website"),
    }


def _company_name(facts: PageFacts) -> str:
    """A short line of the page or a part of its title that ends as names of companies do, else the site's name."""
    lines = [facts.reading.block_text(block).strip() for block in facts.reading.blocks[:200]]
    parts = re.split(r"\s*[-_|–—｜·]+\s*", facts.title)
    return next((text for text in parts + lines if len(text) < 60 and _COMPANY.fullmatch(text)), facts.site_name)


def _news_fields(facts: PageFacts, values: list[LabelledValue]) -> Labelled:
    reporter = _REPORTER.search(facts.body[:MAX_FIELD])
    source = _pick(values, lambda text: clean(text).split()[0] if clean(text) else "", "source")
    author = _pick(values, author_name, "reporter", "author")
    if not author[0]:
        author = (facts.author or (reporter[1] if reporter else ""), "byline")
    return {
        "headline": (facts.title, "title"),
        "published": (_moment_shown(facts), "text"),
        "source": source if source[0] else (facts.site_name, "site name"),
        "author": author,
    }


def _moment_shown(facts: PageFacts) -> str:
    """The day of publication, with the time of day where a line of the page names both."""
    moments = (moment_of(facts.reading.block_text(block)) for block in facts.reading.blocks[:200])
    return next((moment for moment in moments if moment.startswith(f"{facts.published}T")), facts.published)


_BY_LABELS: dict[str, Callable[[PageFacts, list[LabelledValue]], Labelled]] = {
    "book": _book_fields,
    "product": _product_fields,
    "company": _company_fields,
    "news": _news_fields,
}


# --- values ----------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """One line of at most 500 characters, without separators at its ends."""
    return one_line(text.replace("\u200e", "").replace("\u200f", ""), MAX_FIELD).strip(_EDGES)


def _narrow(text: str) -> str:
    """The start of a text with full-width letters, digits and signs made ordinary."""
    return unicodedata.normalize("NFKC", text[:300])


def price_of(text: str, home: str = "") -> tuple[str, str]:
    """(amount, ISO code) of the first price, else ("", ""); ``home`` is the currency of 元 and of a bare number."""
    text = _narrow(text)
    price = _PRICE.search(text)
    if price:
        sign = (price["before"] or price["after"]).lower()
        amount = amount_of(price["first"] or price["second"])
        return (amount, home if sign in ("元", "圆") and home else _CURRENCIES[sign]) if amount else ("", "")
    bare = re.fullmatch(_AMOUNT, text.strip())
    return (amount_of(bare[0]), home) if bare and home else ("", "")


def amount_of(text: str) -> str:
    """A number such as 1,249.00 or 1.249,00 with a decimal point and nothing else, or ""."""
    text = text.strip().rstrip(".,")
    if not re.fullmatch(_AMOUNT, text):
        return ""
    match = re.fullmatch(r"(.*?)(?:([.,])(\d{1,2}))?", text)
    if match is None:
        return ""
    whole, mark, cents = match.groups()
    whole = whole.replace(",", "").replace(".", "").lstrip("0") or "0"
    return f"{whole}.{cents}" if mark else whole


def currency_of(text: str) -> str:
    """The ISO code of a currency that is named by code or sign, or ""."""
    text = _narrow(text).strip()
    return _CURRENCIES.get(text.lower(), text.upper() if _CODE.fullmatch(text) else "")


def isbn_of(text: str) -> str:
    """The first ISBN whose check digit is right, without hyphens; 13 digits go before ten; or ""."""
    candidates = [re.sub(r"[^\dX]", "", match[0].upper()) for match in _ISBN.finditer(_narrow(text))]
    return max((digits for digits in candidates if is_isbn(digits)), key=len, default="")


def is_isbn(digits: str) -> bool:
    """Whether the check digit of 10 or 13 digits is right."""
    if len(digits) == 13 and digits.isdigit():
        return sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10 == 0
    if not re.fullmatch(r"\d{9}[\dX]", digits) or len(set(digits)) == 1:
        return False
    return sum((10 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits)) % 11 == 0


def phone_of(text: str) -> str:
    """The first phone number, area codes such as (0571) and 0571- written alike, or ""."""
    for match in _PHONE.finditer(_narrow(text).replace("–", "-").replace("—", "-")):
        shown = re.sub(r"\s+", " ", match[0]).strip(" -")
        if 7 <= sum(char.isdigit() for char in shown) <= 15 and not day_of(shown):
            area = _AREA.match(shown)
            return f"{area[1]}-{area[2]}{area[3]}{shown[area.end() :]}" if area else shown
    return ""


def mail_of(text: str) -> str:
    """The first mail address, or ""."""
    mail = _MAIL.search(_narrow(text).removeprefix("mailto:"))
    return re.sub(r"\(at\)|\[at\]", "@", mail[0]).rstrip(".-") if mail else ""


def moment_of(text: str) -> str:
    """YYYY-MM-DD, with THH:MM and the offset from UTC when they are named; "" without a day."""
    day = day_of(text[:100])
    clock = _CLOCK.search(_narrow(text[:100])) if day else None
    if not clock:
        return day
    zone = "+00:00" if clock[3] == "Z" else clock[3] or ""
    return f"{day}T{int(clock[1]):02}:{clock[2]}{zone if len(zone) != 5 else zone[:3] + ':' + zone[3:]}"


def year_of(text: str) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD: what a book says of its year, or ""."""
    if day := day_of(text[:100]):
        return day
    match = _YEAR_MONTH.search(_narrow(text[:100]))
    return "-".join(part.zfill(2) for part in match.groups() if part) if match else ""


_SPELLINGS: dict[str, Callable[[str], str]] = {
    "author": _person,
    "isbn": isbn_of,
    "price": amount_of,
    "currency": currency_of,
    "published": moment_of,
}
"""How declared fields are written."""


def author_name(text: str) -> str:
    """A name without 著, 编著 and the like behind it."""
    text = clean(text)
    return _ROLE.sub("", text).rstrip(_EDGES) or text


def squeezed(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"\W+", "", text[:1000]).lower()
