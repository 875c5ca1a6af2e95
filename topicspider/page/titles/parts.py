"""Separates a declared title into its parts, and tells those that name the site from the page's own."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from topicspider.page.markup.texts import safe
from topicspider.url.host import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicspider.page.markup.reading import Reading

MAX_TITLE = 300
_MAX_HOME_LINKS = 100
_PARTS = re.compile(
    r"\s*[|｜_＿»›‹•∙]+\s*|\s+(?:[-－—–~/\\<>«·]+|::+|//+)\s+|\s*(?:--+|——+|>>+|::+)\s*"
    r"|(?<=[^\x00-\x7f])[-－–—](?![-－–—\d])|(?<![-－–—\d])[-－–—](?=[^\x00-\x7f])"
)
# What editors fill in, and how sites greet: such titles are those of every page.
_TEMPLATE = re.compile(
    r"(?:untitled|untitled ?(?:document|page)|no ?title|new ?page ?\d{0,3}|document|index"
    r"|[无無][标標][题題](?:文[档檔件]|[网網][页頁]|[页頁]面)?|未命名(?:文[档檔件])?|新建[网網][页頁] ?\d{0,3}|默认标题"
    r"|(?:欢迎|歡迎)(?:光临|光臨|您?来到|您?來到|您?访问|您?訪問|进入|進入).{0,40}|welcome to .{0,60})",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\W_]+")


def line(text: str) -> str:
    """``text`` as one line of at most MAX_TITLE characters, without what ``texts.safe`` drops (soft hyphens, too) and marks of links to headings (¶)."""
    return " ".join(safe(text[: 4 * MAX_TITLE]).split())[:MAX_TITLE].strip(" ¶")


@lru_cache(maxsize=256)
def key(text: str) -> str:
    """Letters and digits alone, in one case and width: what two ways to write a title share."""
    return _KEY.sub("", unicodedata.normalize("NFKC", text)).casefold()


def is_template(title: str) -> bool:
    """Whether ``title`` is what an editor filled in (无标题文档, Untitled Document) or a greeting (欢迎光临…)."""
    return _TEMPLATE.fullmatch(title) is not None


def size(text: str) -> int:
    """Bytes: they weigh a Chinese character as about half a word."""
    return len(text.encode("utf-8", "ignore"))


def spans_of(title: str) -> list[tuple[int, int]]:
    """Where the separated parts of ``title`` stand; those without a letter or digit are none."""
    spans, start = [], 0
    for mark in _PARTS.finditer(title):
        spans.append((start, mark.start()))
        start = mark.end()
    return [(a, b) for a, b in [*spans, (start, len(title))] if key(title[a:b])]


def without_site(title: str, names: frozenset[str], *, is_whole: bool = False) -> str:
    """The longest separated part, with the parts after it that are about as long (a title may hold a dash).

    ``names``: keys of names of the site, left out at both ends. ``is_whole``: no name of the site is at its end.
    """
    spans = spans_of(title)
    is_named = False
    while len(spans) > 1 and key(title[slice(*spans[-1])]) in names:
        spans.pop()
        is_named = True
    while len(spans) > 1 and key(title[slice(*spans[0])]) in names:
        spans.pop(0)
        is_named = True
    if not spans:
        return title.strip()
    sizes = [size(title[a:b]) for a, b in spans]
    core = sizes.index(max(sizes))
    if sizes[0] * 2 >= sizes[core]:
        core = 0
    last = core
    end = len(spans) if is_whole or is_named else len(spans) - 1
    while last + 1 < end and sizes[last + 1] >= 0.6 * sizes[core]:
        last += 1
    return title[spans[core][0] : spans[last][1]].strip()


def host_names(url: str) -> Iterator[str]:
    """Keys that a site named after its host may have: each label of three letters at least, and labels run together."""
    labels = [label for label in host_of(url).split(".")[-5:] if label != "www"]
    yield from (key(label) for label in labels if len(label) > 2)
    for start in range(len(labels)):
        yield key("".join(labels[start:]))
        yield key("".join(labels[start:-1]))


def home_names(reading: Reading, url: str) -> Iterator[str]:
    """Keys of what links to the front page of the page's host say: the site's name, or 首页."""
    home = f"//{host_of(url)}"
    for anchor in reading.anchors[:_MAX_HOME_LINKS]:
        href = anchor.href.strip()
        if href == "/" or href.partition(":")[2].rstrip("/") == home or href.rstrip("/") == home:
            for text in (reading.text[anchor.start : min(anchor.end, anchor.start + 100)], anchor.alt, anchor.title):
                if name := key(text):
                    yield name


def leads_elsewhere(href: str, url: str) -> bool:
    """Whether a link leads to another page than ``url``."""
    try:
        target, own = urlsplit(urljoin(url, href.strip())), urlsplit(url)
    except ValueError:
        return True
    return (target.netloc, target.path.rstrip("/"), target.query) != (own.netloc, own.path.rstrip("/"), own.query)


def is_front(url: str) -> bool:
    """Whether ``url`` is a host's front page: its title is the site's name by right."""
    return url.partition("://")[2].partition("?")[0].partition("/")[2] == ""
