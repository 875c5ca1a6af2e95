"""Makes typed fields of labelled values: for each kind, the fields that its page's labels and title give."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.typed.labelled import Found, labelled, main_blocks
from topicspider.page.typed.values import (
    FIELD,
    author_name,
    book_day_of,
    clean,
    isbn_of,
    mail_of,
    moment_of,
    pages_of,
    person_of,
    phone_of,
    postcode_of,
    price_of,
    prices_in,
    site_of_text,
    squeezed,
    writer_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topicspider.page.markup.reading import Reading

_PRICE_LINE = 40
_NEAR_TITLE = 15
"""Blocks below the title in which a byline stands."""
_TITLE_START = 12
_TITLE_MORE = 20
"""Characters of a title that are compared, and how much longer its line may be."""
_PARAGRAPH = 80
_ABOVE_TEXT = 8
_NAMES_ABOVE = 10
"""Blocks above the first way of contact in which the company is named."""
_NO_BYLINE = re.compile(r"[，。,!?！？;；]|\d{4}")
_COMPANY = re.compile(
    r"[^，。：:,;；!！?？]{2,40}?(?:公司|集团|集團|厂|廠|商行|事务所|事務所|工作室|研究所|研究院|合作社|酒店|宾馆|賓館|医院|醫院|学校|大学|大學|学院|商店|旅行社|企業社|协会|協會|中心)(?:[(（][^)）]{1,20}[)）])?"
    r"|[^:;!?]{2,60}?\b(?:Ltd|Limited|Inc|LLC|LLP|GmbH|Corp|Corporation|Company|Co|S\.A|AG|B\.V|Pty Ltd|PLC|Pte|S\.r\.l|Oy|AB|A/S)\.?",
    re.IGNORECASE,
)
_TITLE_PARTS = re.compile(
    r"\s*[-_|–—｜·－]+\s+|\s+[-_|–—｜·－]+\s*|[_|｜－—]+|(?<=[\u3400-\u9fff])-(?=[\u3400-\u9fff])"
)
_QUOTED = re.compile(r"《([^《》]{1,100})》")
_PAGES_ALONE = re.compile(r"(?<![\d.])(\d{2,4})\s?(?:页|頁|pages)(?![a-z])", re.IGNORECASE)
_TRADITIONAL = re.compile(r"[價書購網電訂發貨號個們這來為會國說時從對還過見現東車長門間問題應該]")
_SIMPLIFIED = re.compile(r"[价书购网电订发货号个们这来为会国说时从对还过见现东车长门间问题应该]")
_SCRIPT_SAMPLE = 5000


@dataclass(slots=True)
class TextFields:
    """The labelled values of one page; ``values`` reads those of one field, in document order."""

    reading: Reading
    indexes: list[int]
    found: list[Found]
    title: str
    url: str
    title_block: int
    _yuan: str | None = None

    @property
    def yuan(self) -> str:
        """The ISO code that 元 stands for on this page."""
        if self._yuan is None:
            self._yuan = yuan_of(self.reading.text, self.url)
        return self._yuan

    def all_of(self, *fields: str) -> list[Found]:
        """What is labelled with one of these fields, in document order."""
        return [one for one in self.found if one.field in fields]

    def first(self, read: Callable[[str], str], *fields: str) -> tuple[str, str]:
        """(value, label) of the first labelled value that ``read`` makes something of, field by field; ("", "") when none."""
        for field in fields:
            for one in self.found:
                if one.field == field and (value := read(one.value)):
                    return value[:FIELD], one.label
        return "", ""


Fields = dict[str, tuple[str, str]]
"""Name of a field to (value, label)."""


def text_fields(reading: Reading, zones: list[str], title: str, url: str) -> TextFields:
    """Every labelled value outside menus, sidebars and footers."""
    indexes = main_blocks(reading, zones)
    found = labelled(reading, indexes)
    return TextFields(reading, indexes, found, title, url, _title_block(reading, indexes, title))


def _title_block(reading: Reading, indexes: list[int], title: str) -> int:
    """The block that shows the title, else a few above the first paragraph."""
    paragraph = 0
    start = title[:_TITLE_START]
    for place, index in enumerate(indexes):
        block = reading.blocks[index]
        length = block.end - block.start
        if start and length <= len(title) + _TITLE_MORE and reading.text.startswith(start, block.start):
            return index
        if length >= _PARAGRAPH and not paragraph and not block.linked:
            paragraph = indexes[max(0, place - _ABOVE_TEXT)]
    return paragraph


def yuan_of(text: str, url: str) -> str:
    """The ISO code that 元 stands for: by the country of the host, else by the script of the page."""
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    for end, code in ((".tw", "TWD"), (".hk", "HKD"), (".mo", "MOP"), (".cn", "CNY"), (".jp", "JPY")):
        if host.endswith(end):
            return code
    sample = text[:_SCRIPT_SAMPLE]
    traditional, simplified = len(_TRADITIONAL.findall(sample)), len(_SIMPLIFIED.findall(sample))
    if traditional > simplified:
        return "TWD"
    return "CNY" if simplified else ""


def book_fields(text: TextFields, author: str) -> Fields:
    """title, author, translator, publisher, isbn, published, pages, price, currency."""
    isbns = [(isbn, one.label) for one in text.all_of("isbn") if (isbn := isbn_of(one.value))]
    fields: Fields = {
        "title": text.first(_book_title, "title"),
        "author": text.first(author_name, "author"),
        "translator": text.first(author_name, "translator"),
        "publisher": text.first(clean, "publisher"),
        "isbn": next((one for one in isbns if len(one[0]) == 13), isbns[0] if isbns else ("", "")),
        "published": text.first(book_day_of, "published", "year"),
        "pages": text.first(pages_of, "pages"),
    }
    if not fields["title"][0]:
        fields["title"] = text.first(_book_title, "label")
    if not fields["title"][0]:
        fields["title"] = (_book_title(text.title), "title")
    if not fields["author"][0] and author:
        fields["author"] = (author_name(author), "byline")
    if not fields["pages"][0]:
        fields["pages"] = (_pages_in_lines(text), "text")
    return fields | price_fields(text)


def _book_title(text: str) -> str:
    text = clean(text)
    quoted = _QUOTED.search(text)
    return clean(quoted[1]) if quoted and text.startswith(("《", "【", "[")) else text


def _pages_in_lines(text: TextFields) -> str:
    for index in text.indexes:
        block = text.reading.blocks[index]
        if block.end - block.start <= _PRICE_LINE * 2 and (
            found := _PAGES_ALONE.search(text.reading.text, block.start, block.end)
        ):
            return found[1]
    return ""


def price_fields(text: TextFields) -> Fields:
    """price and currency: the selling price, else the lower of the unlabelled ones below the title, else the list price."""
    for one in text.all_of("price"):
        amount, currency = price_of(one.value, text.yuan, bare=True)
        if amount:
            return {"price": (amount, one.label), "currency": (currency, one.label)}
    listed = text.all_of("list_price")
    prices = [(price, "text") for price in unlabelled_prices(text)]
    for one in listed:  # Was $20 Now $15: one line, one label
        prices += [(price, one.label) for price in prices_in(one.value, text.yuan)]
        prices += [(price, one.label) for price in [price_of(one.value, text.yuan, bare=True)] if price[0]]
    if not prices:
        return {}
    (amount, currency), label = min(prices, key=lambda price: float(price[0][0]))
    return {"price": (amount, label), "currency": (currency, label)}


def unlabelled_prices(text: TextFields) -> list[tuple[str, str]]:
    """The prices of the first short line below the title that has one."""
    labelled_blocks = {one.block for one in text.found}
    for index in text.indexes:
        block = text.reading.blocks[index]
        is_line = index > text.title_block and block.end - block.start <= _PRICE_LINE and block.linked == 0
        if is_line and index not in labelled_blocks:
            prices = prices_in(text.reading.block_text(block), text.yuan)
            if prices:
                return prices
    return []


def count_price_lines(text: TextFields) -> int:
    """How many short lines have a price: many on a list of goods."""
    count = 0
    for index in text.indexes:
        block = text.reading.blocks[index]
        if block.end - block.start <= _PRICE_LINE and prices_in(text.reading.block_text(block), text.yuan):
            count += 1
    return count


def product_fields(text: TextFields) -> Fields:
    """name, brand, model, sku, price, currency, and who sells it: seller, phone, address."""
    fields: Fields = {
        "name": text.first(clean, "name"),
        "brand": text.first(clean, "brand"),
        "model": text.first(clean, "model"),
        "sku": text.first(clean, "sku"),
        "seller": text.first(clean, "seller", "company"),
    }
    if not fields["name"][0]:
        fields["name"] = (text.title, "title")
    if fields["seller"][0]:
        fields["phone"] = text.first(phone_of, "phone", "mobile")
        fields["address"] = text.first(clean, "address")
    return fields | price_fields(text)


def company_fields(text: TextFields, site_name: str, page_title: str) -> Fields:
    """name, contact, phone, fax, email, address, postcode, website."""
    name = text.first(clean, "company")
    return {
        "name": name if name[0] else (_company_name(text, site_name, page_title), "text"),
        "contact": text.first(person_of, "contact"),
        "phone": text.first(phone_of, "phone", "mobile"),
        "fax": text.first(phone_of, "fax"),
        "email": text.first(mail_of, "email"),
        "address": text.first(clean, "address"),
        "postcode": text.first(postcode_of, "postcode"),
        "website": text.first(site_of_text, "website"),
    }


def _company_name(text: TextFields, site_name: str, page_title: str) -> str:
    """A line above the first way of contact that is a company's name, else a part of the title that is one, else the site's name."""
    first = next((one.block for one in text.found if one.field in ("phone", "mobile", "address", "fax", "email")), 0)
    for index in range(first - 1, max(-1, first - 1 - _NAMES_ABOVE), -1):
        line = text.reading.block_text(text.reading.blocks[index])
        if len(line) <= 2 * _PRICE_LINE and is_company_name(line):
            return line.strip()
    parts = [part.strip() for part in _TITLE_PARTS.split(f"{text.title} | {page_title}"[:300]) if part]
    return next((part for part in parts if is_company_name(part)), site_name)


def is_company_name(text: str) -> bool:
    """Whether a short text ends as names of companies do: 公司, 厂, Ltd."""
    return _COMPANY.fullmatch(text[: 2 * _PRICE_LINE].strip()) is not None


def news_fields(text: TextFields, day: str, author: str) -> Fields:
    """published, source, author: of the lines below the title, and of what stands in brackets at the end."""
    return {
        "published": (_moment_near_title(text, day), "text"),
        "source": _byline(text, _no_author, "source"),
        "author": _author(text, author),
    }


def _author(text: TextFields, author: str) -> tuple[str, str]:
    found = _byline(text, writer_of, "author", "reporter")
    author = writer_of(author)
    place = squeezed(f"{text.url.partition('?')[0][:100]} {text.first(_no_author, 'source')[0]}")
    return found if found[0] or squeezed(author) in place else (author, "byline")  # sites sign with their own names


def _no_author(value: str) -> str:
    value = clean(value)
    return "" if "://" in value else value.partition(" ")[0] if re.search(r"[\u3400-\u9fff]", value) else value


def _byline(text: TextFields, read: Callable[[str], str], *fields: str) -> tuple[str, str]:
    every = text.all_of(*fields)
    near = [one for one in every if text.title_block - 2 <= one.block <= text.title_block + _NEAR_TITLE]
    ends = [one for one in every if not one.label.isascii() and one not in near]  # （来源：…） below the text
    for one in near + ends:
        value = read(one.value)
        if 1 < len(value) <= _PRICE_LINE and not _NO_BYLINE.search(value):
            return value, one.label
    return "", ""


def _moment_near_title(text: TextFields, day: str) -> str:
    """The day of publication with its hour, when a line near the title says it."""
    if not day:
        return ""
    for line in _lines_near_title(text):
        moment = moment_of(line)
        if moment.startswith(day):
            return moment
    return day


def _lines_near_title(text: TextFields) -> Iterable[str]:
    for index in text.indexes:
        if text.title_block - 2 <= index <= text.title_block + _NEAR_TITLE:
            line = text.reading.block_text(text.reading.blocks[index])
            if len(line) <= 200:
                yield line
