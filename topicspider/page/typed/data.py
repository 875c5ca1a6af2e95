"""Chooses what a page is about (news, book, product or company) by the evidence, and fills its typed fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.page.markup.texts import one_line
from topicspider.page.typed.declared import declared_by_tags, declared_data
from topicspider.page.typed.text_fields import (
    TextFields,
    book_fields,
    company_fields,
    count_price_lines,
    is_company_name,
    news_fields,
    product_fields,
    text_fields,
    unlabelled_prices,
)
from topicspider.page.typed.values import FIELD, isbn_of, mail_of, phone_of, price_of, squeezed

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading

_A_STORY = 300
"""Bytes of body (100 Chinese characters, 50 English words) from which a page can be a news item."""
_BUY = re.compile(
    r"加入购物车|加入購物車|放入購物車|放入购物车|立即购买|立即購買|立即抢购|直接購買|立即订购|在线订购|我要订购|马上购买|去购买|加到购物车|加入購物籃|"
    r"add to (?:cart|basket|bag)|buy (?:it )?now|add-to-cart|addtocart|order now",
    re.IGNORECASE,
)
_BUY_SCANNED = 200_000
_CONTACT_PATH = re.compile(
    r"contact|lianxi|lxwm|lxfs|about|kontakt|impressum|company|gongsi|profile|visit|find-us|store-?locat", re.IGNORECASE
)
_CONTACT_TITLE = re.compile(
    r"联系我们|联系方式|联络我们|联系我|公司简介|关于我们|企业简介|公司档案|聯絡我們|聯繫我們|聯絡方式|聯絡資訊|關於我們|公司簡介|contact\b|about us|get in touch|visit us|find us",
    re.IGNORECASE,
)
_HOME = re.compile(r"https?://[^/?#]+/?(?:(?:index|default|home)\.\w{1,5})?", re.IGNORECASE)
_REPORTER = re.compile(
    r"(?:本报|本网|本台|日电|[(（【\[]|^|\s)(?:见习|实习|首席|全媒体)?(?:记者|記者)[\s:：|｜／/]?\s?([\u3400-\u9fff·]{2,10})"
)
_STORY_START = 500
_ENDS_NAME = frozenset(")）】],，、/／ ")
_VAGUE = frozenset({"公司", "单位", "單位", "company", "organization", "organisation"})
"""Labels that stand before much else than a company's name."""
_SENTENCE = re.compile(r"[。！？!?]|\.\s")
_LONGEST_NAME = 80
_MANY = 3
"""Different books, companies or prices from which a page is a list of them."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the typed data of a page are read from: the walk, what it declares, and what was read of it already."""

    reading: Reading
    zones: list[str]
    json_ld: list[dict[str, object]]
    microdata: list[dict[str, object]]
    url: str
    html: str
    title: str
    body: str
    type: str
    published: str
    author: str
    site_name: str


@dataclass(frozen=True, slots=True)
class Typed:
    """``fields`` with ``kind``, {} when the page is about none; ``why`` says where each comes from: json-ld, microdata, og, a label, title, byline, text."""

    fields: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)


def typed_data(facts: Facts) -> Typed:
    """The typed fields: what the page declares, completed by what its labels say; by labels alone only on good evidence."""
    declared, source = _declared(facts)
    kind = declared.get("kind", "")
    text = text_fields(facts.reading, facts.zones, facts.title, facts.url)
    if not kind and facts.type != "forum":
        kind = kind_by_text(facts, text)
    if not kind:
        return Typed()
    why = dict.fromkeys(declared, source)
    fields = dict(declared) or {"kind": kind}
    why.setdefault("kind", "text")
    for name, (value, label) in _by_text(kind, facts, text, is_declared=bool(declared)).items():
        if value and name not in fields and not (name == "currency" and "price" in declared):
            fields[name] = one_line(value, FIELD)
            why[name] = label
    return Typed(fields, {name: why[name] for name in fields})


# --- what is declared ------------------------------------------------------------------------------


def _declared(facts: Facts) -> tuple[dict[str, str], str]:
    """(fields with kind, their source): JSON-LD, microdata, then tags; those of the same kind complete each other."""
    titles = f"{facts.title} {facts.reading.title} {_headings(facts.reading)}"
    has_contact = is_contact_page(facts)
    found: dict[str, str] = {}
    source = ""
    for name, data in (
        ("json-ld", declared_data(facts.json_ld, titles, has_contact) if facts.json_ld else {}),
        ("microdata", declared_data(facts.microdata, titles, has_contact) if facts.microdata else {}),
        ("og", declared_by_tags(facts.reading.meta)),
    ):
        if _is_paywall(data, facts):
            continue
        if data and (not found or found["kind"] == data["kind"]):
            source = source or name
            found = data | found
    if found.get("kind") == "company" and not has_contact and squeezed(found["name"]) not in squeezed(titles):
        return {}, ""
    return (found, source) if len(found) > 1 else ({}, "")


def _is_paywall(data: dict[str, str], facts: Facts) -> bool:
    """Whether a product without a price, other than the title's, stands on a dated page: newspapers declare their subscription so."""
    if data.get("kind") != "product" or "price" in data or not facts.published:
        return False
    return squeezed(data.get("name", "")) not in squeezed(facts.title)


def _headings(reading: Reading) -> str:
    return " ".join(reading.block_text(reading.blocks[index])[:200] for index in reading.headings[:4])


def is_contact_page(facts: Facts) -> bool:
    """Whether it is a site's first page, or one that says how to reach its company."""
    path = "/" + facts.url.partition("://")[2].partition("/")[2][:200]
    if _HOME.fullmatch(facts.url) or _CONTACT_PATH.search(path):
        return True
    return bool(_CONTACT_TITLE.search(f"{facts.title} {facts.reading.title[:200]} {_headings(facts.reading)}"))


# --- what the text says ----------------------------------------------------------------------------


def kind_by_text(facts: Facts, text: TextFields) -> str:
    """news, book, product or company by labels alone; "" when the evidence is weak, or the page lists several."""
    if not text.found and not facts.published:
        return ""
    has_isbn = any(isbn_of(one.value) for one in text.all_of("isbn"))
    if not has_isbn and _is_news(facts, text):
        return "news"
    if _is_book(text, has_isbn):
        return "book"
    if _is_product(facts, text):
        return "product"
    return "company" if _is_company(facts, text) else ""


def _is_news(facts: Facts, text: TextFields) -> bool:
    """A dated story with a source, or with a reporter's name."""
    if facts.type != "article" or not facts.published or len(facts.body.encode("utf-8", "ignore")) < _A_STORY:
        return False
    fields = news_fields(text, facts.published, "")
    if fields["source"][0] or _REPORTER.search(facts.body[:_STORY_START]):
        return True
    if any(one.label in ("记者", "記者", "reporter", "本报记者") for one in text.all_of("reporter")):
        return True
    return bool(facts.author and facts.reading.meta.get("og:site_name") and fields["author"][0])


def _reporter(body: str) -> str:
    """The name in a line such as （记者 张三） at the start of a story."""
    start = body[:_STORY_START]
    for found in _REPORTER.finditer(start):
        if start[found.end() : found.end() + 1] in _ENDS_NAME:
            return found[1]
    return ""


def _is_book(text: TextFields, has_isbn: bool) -> bool:
    has = {one.field for one in text.found}
    if (
        _differing(text, "author") >= _MANY
        or _differing(text, "publisher") >= _MANY
        or len({isbn_of(one.value) for one in text.all_of("isbn")}) > _MANY
    ):
        return False
    if has_isbn and has & {"publisher", "author", "title", "pages"}:
        return True
    return {"publisher", "author"} <= has and bool(
        has & {"price", "list_price", "published", "pages", "translator", "title"}
    )


def _is_product(facts: Facts, text: TextFields) -> bool:
    """A price, and a word of buying, a name, a brand or a model beside it; or a named make that somebody offers."""
    has = {one.field for one in text.found}
    labelled_prices = [
        one for one in text.all_of("price", "list_price") if price_of(one.value, text.yuan, bare=True)[0]
    ]
    specs = has & {"brand", "model", "sku"}
    if len(text.all_of("price")) > _MANY or _differing(text, "name") >= _MANY or _differing(text, "model") >= _MANY:
        return False
    if not labelled_prices and not specs and "name" not in has:
        return False
    if not labelled_prices and count_price_lines(text) > _MANY:
        return False
    if labelled_prices or unlabelled_prices(text):
        return bool(specs or "name" in has or _has_buy_words(facts))
    return "name" in has and bool(specs) and bool(has & {"seller", "company"})


def _has_buy_words(facts: Facts) -> bool:
    return _BUY.search(facts.html, 0, _BUY_SCANNED) is not None


def _is_company(facts: Facts, text: TextFields) -> bool:
    """A labelled name with a way to reach it; or, on a page about contact, two ways."""
    if _differing(text, "company") >= _MANY or len(text.all_of("phone")) > 2 * _MANY:
        return False
    ways = {one.field for one in text.all_of("phone", "mobile", "fax") if phone_of(one.value)}
    ways |= {"email" for one in text.all_of("email") if mail_of(one.value)} | {
        "address" for one in text.all_of("address") if len(one.value) > 3
    }
    names = [
        one for one in text.all_of("company") if 1 < len(one.value) <= _LONGEST_NAME and not _SENTENCE.search(one.value)
    ]
    if any(is_company_name(one.value) or one.label not in _VAGUE for one in names):
        return bool(ways)
    return (
        len(ways) >= 2
        and is_contact_page(facts)
        and bool(company_fields(text, facts.site_name, facts.reading.title)["name"][0])
    )


def _differing(text: TextFields, name: str) -> int:
    return len({one.value for one in text.all_of(name)})


def _by_text(kind: str, facts: Facts, text: TextFields, is_declared: bool) -> dict[str, tuple[str, str]]:
    """The fields of a kind as title and labels give them."""
    if kind == "book":
        return book_fields(text, facts.author)
    if kind == "product":
        found = product_fields(text)
        return (
            {name: found[name] for name in found if name not in ("seller", "phone", "address")}
            if is_declared
            else found
        )
    if kind == "company":
        return company_fields(text, facts.site_name, facts.reading.title)
    author = facts.author or _reporter(facts.body)
    fields = {"headline": (facts.title, "title")} | news_fields(text, facts.published, author)
    if not fields["source"][0]:
        fields["source"] = (facts.site_name, "site name")
    return fields
