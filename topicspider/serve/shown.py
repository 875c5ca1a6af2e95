"""How numbers, times, names and the harvest curve are written on the page: functions for its templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from topicspider.cli.explain import part_name
from topicspider.cli.topics import title_of
from topicspider.errors import one_line
from topicspider.i18n import N_, as_typed, clock, ngettext
from topicspider.i18n import gettext as _
from topicspider.stalls.causes import shown
from topicspider.steering.control import Point
from topicspider.topic.loading import shipped_topics
from topicspider.url import readable_host, readable_url

NONE = "–"
WIDTH, HEIGHT = 1000, 300
"""The size of a chart's viewBox; charts are stretched to fill their place."""


def number(value: float | None, digits: int = 0) -> str:
    """12345.6 is 12,346."""
    return NONE if value is None else f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    """0.034 is 3.4%: there is one decimal below 10%."""
    if share is None:
        return NONE
    return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"


def chance(score: float | None) -> str:
    """The chance that a link policy gives a link; a dash for a seed, and for a policy whose values are not chances."""
    return percent(score if score is not None and 0 <= score <= 1 else None)


def moment(when: str) -> str:
    """An ISO time in the time zone of this machine, without seconds; a dash for ""."""
    try:
        return datetime.fromisoformat(when).astimezone().strftime("%Y-%m-%d %H:%M") if when else NONE
    except ValueError:
        return when


def ago(when: str) -> str:
    """How long ago an ISO time is, in one unit; after 30 days, the time itself."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(when)).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a time zone
        return moment(when)
    if seconds < 60:
        return _("just now")
    if seconds < 3_600:
        return ngettext("{count} minute ago", "{count} minutes ago", int(seconds / 60))
    if seconds < 86_400:
        return ngettext("{count} hour ago", "{count} hours ago", int(seconds / 3_600))
    if seconds < 30 * 86_400:
        return ngettext("{count} day ago", "{count} days ago", int(seconds / 86_400))
    return moment(when)


def address(path: str, **values: object) -> str:
    """``path`` with ``values`` as its query; empty values are left out."""
    query = urlencode({name: value for name, value in values.items() if value not in ("", None)}, quote_via=quote)
    return f"{path}?{query}" if query else path


def plain(text: str) -> str:
    """``text`` on one line, without control characters: some change the direction of the text around them."""
    return one_line(text, len(text) + 1)


def topic_title(names: str) -> str:
    """The titles of ``names`` in the reader's language, where they are known: 旅游 + 茶叶."""
    known = {topic.name: topic for topic in shipped_topics()}
    return " + ".join(title_of(known[name]) if name in known else name for name in names.split(" + "))


def host(key: str) -> str:
    """A host of the queue in readable form: 旅游.example for xn--…:80."""
    return readable_host(shown(key))


def brief_url(url: str) -> str:
    """A readable URL for a list, without http:// or https://."""
    return readable_url(url).removeprefix("http://").removeprefix("https://")


def reason(name: str) -> str:
    """Why a link was pruned, or a download gave no page, in the reader's language."""
    return _(name).replace("_", " ")


def web_link(url: str) -> str:
    """``url`` if it may be a link on the page; "" unless it begins with http: or https:, since other schemes may run scripts."""
    return url if url.startswith(("http://", "https://")) else ""


LANGUAGES = {
    "zh": N_("Chinese"), "en": N_("English"), "ja": N_("Japanese"), "ko": N_("Korean"), "de": N_("German"), "fr": N_("French"),
    "es": N_("Spanish"), "it": N_("Italian"), "pt": N_("Portuguese"), "nl": N_("Dutch"), "pl": N_("Polish"), "sv": N_("Swedish"),
    "tr": N_("Turkish"), "vi": N_("Vietnamese"), "id": N_("Indonesian"), "ru": N_("Russian"), "uk": N_("Ukrainian"),
    "ar": N_("Arabic"), "fa": N_("Persian"), "he": N_("Hebrew"), "el": N_("Greek"), "th": N_("Thai"), "hi": N_("Hindi"),
}  # fmt: skip


def language_name(code: str) -> str:
    """The name of a language by its code; the code itself if the language is not listed."""
    return _(LANGUAGES.get(code, code))


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines as ``x,y x,y …``: hits a page so far, among the last 100, and so far of the breadth-first baseline; x ends at ``pages``."""

    overall: str
    recent: str
    baseline: str
    pages: int


def harvest_chart(curve: Sequence[Point], baseline: Sequence[Point]) -> Chart | None:
    """The chart, or None without data. Of a longer baseline, only the part beside the curve is drawn."""
    if not curve or curve[-1][0] <= 0:
        return None
    pages = curve[-1][0]
    beside = [point for point in baseline if point[0] <= pages]
    return Chart(
        _line([(at, hits / at) for at, hits, _recent in curve if at], pages),
        _line([(at, recent) for at, _hits, recent in curve if at], pages),
        _line([(at, hits / at) for at, hits, _recent in beside if at], pages),
        pages,
    )


def _line(points: Sequence[tuple[int, float]], pages: int) -> str:
    """The points of a line that begins at the left edge: a small crawl has one point, which alone draws no line."""
    points = [(0, rate) for _at, rate in points[:1]] + [*points]
    return " ".join(f"{WIDTH * at / pages:.1f},{HEIGHT * (1 - min(1.0, max(0.0, rate))):.1f}" for at, rate in points)


_IN_TEMPLATES: tuple[Callable[..., str], ...] = (
    ago, as_typed, brief_url, chance, clock, host, language_name, moment, number, part_name, percent, plain, readable_host, readable_url,
    reason, topic_title, web_link,
)  # fmt: skip
FILTERS = {one.__name__: one for one in _IN_TEMPLATES}
