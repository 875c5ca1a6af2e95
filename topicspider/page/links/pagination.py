"""Tells the links that lead to another page of the same list or text: 下一页, [2], », ?page=3.

Neighbours of an article (上一篇, 下一篇, rel=next with a headline) are other texts, 首页 is mostly the site's home, and 更多 leads from a
box to its channel: none of them is pagination, unless its address says that it is the next piece of this page.
"""

from __future__ import annotations

import re

from topicspider.page.links.kinds import FRAME, OUTWARD

LONGEST = 24
"""Characters of an anchor text, with all its brackets and arrows."""
_FRILLS = " \t\n\r\xa0[]()（）【】{}«»‹›<>＜＞〈〉《》←→⇒⇐|｜·•.…-—_:：▶◀►◄"
_WORDS = re.compile(
    r"第?\s?\d{1,4}\s?[页頁]|(?:上|下|前|后|後|末|尾|最后|最後|最末)(?:一|\d{1,3}|[五十])?[页頁]|下?一?[页頁]|翻页|次の?(?:ページ|へ)|前の?(?:ページ|へ)|次へ|前へ|다음(?: 페이지)?|이전(?: 페이지)?"
    r"|next(?: page)?|prev(?:ious)?(?: page)?|older(?: posts| entries)?|newer(?: posts| entries)?|page \d{1,4}|last page"
    r"|(?:page )?(?:suivante?|précédente?)|(?:página )?(?:siguiente|anterior|próxima)|nächste(?: seite)?|vorherige(?: seite)?|следующая(?: страница)?|предыдущая(?: страница)?",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:点击|點擊|查看|浏览|瀏覽|加载|加載|載入|显示|顯示)?更多(?:内容|結果|结果)?|(?:load |show |view |see )?more(?: posts| results)?|もっと見る|더보기",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"[?&](?:page|paged|pages?(?:_?no|_?num|index|id)?|p|pn|pg|curr?ent_?page|cur_?page|start|offset)=\d{1,6}(?=&|\Z)|/pages?[/_-]?\d{1,5}(?=[/.?]|\Z)"
    r"|(?<=[a-z0-9])(?:_\d{1,4}|-\d{1,3})(?=\.[a-z]{2,5}\Z)",
    re.IGNORECASE,
)
_STARTS = frozenset(
    _FRILLS + "0123456789第上下前后後末尾最页頁翻次다이点點查浏瀏加载載显顯更も더npolsvmPNOLSVMпрсПСéÉäÄ"
)
"""How anchors of pagination begin: all others, without a rel, are told at once."""
_DIGITS = re.compile(r"\d+")
_DATE = re.compile(r"(?:19|20)\d\d[/-]?\d{1,2}[/-]?\d{1,2}/?\Z")


def is_pagination(text: str, rel: str, url: str, kind: str, page_url: str) -> bool:
    """Whether a link of ``page_url`` with this anchor text leads to another page of the same list or text."""
    if len(text) > LONGEST or (text and not rel and text[0] not in _STARTS) or kind in (OUTWARD, FRAME):
        return False
    bare = text.strip(_FRILLS)
    if bare.isdecimal():
        return len(bare) <= 4 and _is_number_of(int(bare), url, page_url)
    if _WORDS.fullmatch(bare):
        return True
    if not bare or _MORE.fullmatch(bare):  # only an arrow may lead back to a first page without a number
        if not text:
            return (
                is_piece_of(url, page_url) and "?p=" not in url
            )  # WordPress numbers its posts so, and pictures link to them
        return is_piece_of(url, page_url) or (not bare and is_piece_of(page_url, url))
    # long headlines with rel=next are the neighbours of an article
    return len(bare) <= 8 and "篇" not in bare and bool(rel) and not {"next", "prev"}.isdisjoint(rel.split())


def is_piece_of(url: str, page_url: str) -> bool:
    """Whether the addresses are the same but for the number of a page (``?page=2``, ``/page/2``, ``_2.html``)."""
    return url != page_url and _MARK.search(url) is not None and _without_mark(url) == _without_mark(page_url)


def _without_mark(url: str) -> str:
    return _MARK.sub("", url, count=1).rstrip("/?&")


def _is_number_of(number: int, url: str, page_url: str) -> bool:
    """A number is that of a page when the address has it, too; counts of comments and days of a calendar are not.

    The first page mostly has no number: there the address is that of this page without its own.
    """
    if is_piece_of(url, page_url) or (number == 1 and is_piece_of(page_url, url)):
        return True
    if not 0 < number < 1900 or _DATE.search(url):
        return False
    last = url[url.rfind("/", 0, len(url) - 1) :]
    return any(int(digits) in (number, number - 1) for digits in _DIGITS.findall(last, 0, 200) if len(digits) <= 4)
