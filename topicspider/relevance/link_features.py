"""The features of links for the learned policy, with the hit rates among them, and the weight of each before anything is learned."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from topicspider.errors import one_line
from topicspider.relevance.page_prior import sigmoid, z_score
from topicspider.text.lexicon import idfs
from topicspider.url import fingerprint, host_of, words_in_url

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import PolicyContext


Value = TypeVar("Value")

UNKNOWN_RATE = 0.15
"""The expected outcome of a link before any was followed; after a hundred links it no longer matters."""
_FORGOTTEN = 0.97
"""The factor by which each further link of a site lowers the weight of the earlier ones in ``promised`` and ``kept``."""
_LEAST_RATE = 0.003
"""Rates are kept this far from 0 and 1, so that their log-odds stay finite."""
_MOST_RATES = 20_000
"""Rates kept of each kind; the oldest are forgotten first."""
REFRESHED_AT_ONCE = 1_000
"""Rates refreshed in one step, which takes a millisecond."""


class SmoothedRate:
    """rate = (total + prior_strength · parent's rate) / (count + prior_strength): the mean outcome of the links of one group.

    With few links the rate is near that of the group's ``parent``. ``decay``: the factor by which each new link lowers the weight of the
    earlier ones. ``log_odds_gain``: the log-odds of the rate minus those of the parent's rate, as of the last ``add`` or ``refresh``.
    ``members``: fingerprints of queued links of the group, filled in for some groups only.
    """

    __slots__ = ("count", "decay", "log_odds_gain", "members", "parent", "prior_strength", "rate", "total")

    def __init__(self, parent: SmoothedRate | None, prior_strength: float, decay: float = 1.0) -> None:
        self.parent, self.prior_strength, self.decay = parent, prior_strength, decay
        self.count = self.total = self.log_odds_gain = 0.0
        self.members: tuple[int, ...] = ()
        self.rate: float = UNKNOWN_RATE if parent is None else parent.rate

    def add(self, outcome: float) -> None:
        """One more link was followed; ``outcome`` in [0, 1]."""
        self.count = self.count * self.decay + 1.0
        self.total = self.total * self.decay + outcome
        self.refresh()

    def refresh(self) -> None:
        """Compute rate and gain anew from the parent's present rate."""
        expected = UNKNOWN_RATE if self.parent is None else self.parent.rate
        self.rate = (self.total + self.prior_strength * expected) / (self.count + self.prior_strength)
        self.log_odds_gain = log_odds(self.rate) - log_odds(expected) if self.count else 0.0

    def state(self) -> tuple[float, ...]:
        """What ``adopt`` takes; with rate and gain, because the parent's rate may have changed since they were computed."""
        return self.count, self.total, self.rate, self.log_odds_gain

    def adopt(self, count: float, total: float, rate: float, log_odds_gain: float) -> None:
        """Take the numbers of another process."""
        self.count, self.total, self.rate, self.log_odds_gain = count, total, rate, log_odds_gain

    def forget(self) -> None:
        """Drop all that was counted: the rate is the parent's."""
        self.adopt(0.0, 0.0, UNKNOWN_RATE if self.parent is None else self.parent.rate, 0.0)


class SiteRate(SmoothedRate):
    """The hit rate of a site. ``tries``: how many of its links explored. ``promised``: the sum of the values of its latest links, about
    thirty; ``kept``: the sum of what their pages were worth."""

    __slots__ = ("kept", "promised", "tries")

    def __init__(self, parent: SmoothedRate) -> None:
        super().__init__(parent, prior_strength=6.0, decay=0.99)
        self.kept = self.promised = 0.0
        self.tries = 0

    def settle(self, promised: float, kept: float) -> None:
        """A link of value ``promised`` was followed, and its page was worth ``kept``."""
        self.promised = self.promised * _FORGOTTEN + promised
        self.kept = self.kept * _FORGOTTEN + kept

    def state(self) -> tuple[float, ...]:
        return *super().state(), self.promised, self.kept

    def adopt(self, count: float, total: float, rate: float, log_odds_gain: float, *record: float) -> None:
        super().adopt(count, total, rate, log_odds_gain)
        self.promised, self.kept = record or (0.0, 0.0)


def log_odds(rate: float) -> float:
    """log(rate / (1 - rate)), with the rate kept _LEAST_RATE from 0 and 1."""
    rate = min(1.0 - _LEAST_RATE, max(_LEAST_RATE, rate))
    return math.log(rate / (1.0 - rate))


class RateTables:
    """The rates of one crawl, each made when it is first asked for.

    Prior strengths and decays are those of the first versions and matter little: with decay 1, or with one strength for all, the harvest is
    the same within noise (benchmarks/quality/leave_one_out.py).
    """

    def __init__(self) -> None:
        self.global_rate = SmoothedRate(None, prior_strength=10.0, decay=0.998)
        self._sites: OrderedDict[str, SiteRate] = OrderedDict()
        self._patterns: OrderedDict[tuple[str, str], SmoothedRate] = OrderedDict()
        self._lists: OrderedDict[Hashable, SmoothedRate] = OrderedDict()

    def site(self, name: str) -> SiteRate:
        """The hit rate of a site, by about its last hundred pages."""
        return self._sites.get(name) or remember(self._sites, name, SiteRate(self.global_rate))

    def pattern(self, site: str, pattern: str) -> SmoothedRate:
        """The rate of links to URLs of this pattern on the site."""
        key = (site, pattern)
        rate = self._patterns.get(key)
        return rate or remember(self._patterns, key, SmoothedRate(self.site(site), prior_strength=4.0, decay=0.99))

    def group(self, key: Hashable, parent: SmoothedRate) -> SmoothedRate:
        """The rate of links in one list, in one group of a list, or in one menu of a site, as ``key`` says."""
        return self._lists.get(key) or remember(self._lists, key, SmoothedRate(parent, prior_strength=4.0))

    def refresh(self) -> Iterator[None]:
        """Refresh the rates of sites and patterns, REFRESHED_AT_ONCE in each step."""
        for number, rate in enumerate([*self._sites.values(), *self._patterns.values()], 1):
            rate.refresh()
            if number % REFRESHED_AT_ONCE == 0:
                yield

    def state(self) -> dict[str, Any]:
        """The global rate and the latest rates of sites and patterns, as plain data for another process."""
        sites = [[name, *rate.state()] for name, rate in list(self._sites.items())[-2_000:]]
        patterns = [[*key, *rate.state()] for key, rate in list(self._patterns.items())[-2_000:] if rate.count]
        return {"global": [*self.global_rate.state()], "sites": sites, "patterns": patterns}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` gave and forget all other rates, so that both score alike (promise R5); ValueError for anything else."""
        try:
            whole = _numbers(state["global"])
            sites = {str(name): _numbers(numbers, 6) for name, *numbers in state["sites"]}
            patterns = {(str(name), str(form)): _numbers(numbers) for name, form, *numbers in state["patterns"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no rates: {one_line(str(error))}") from None
        self.global_rate.adopt(*whole)
        _forget(self._sites.values())
        for name, numbers in sites.items():
            self.site(name).adopt(*numbers)
        _forget(self._patterns.values())
        for key, numbers in patterns.items():
            self.pattern(*key).adopt(*numbers)


def _forget(rates: Iterable[SmoothedRate]) -> None:
    for rate in rates:
        rate.forget()


def _numbers(given: Sequence[object], count: int = 4) -> tuple[float, ...]:
    numbers = tuple(map(float, given))  # type: ignore[arg-type]
    if len(numbers) != count or not all(map(math.isfinite, numbers)) or min(numbers[4:], default=0.0) < 0.0:
        raise ValueError("out of range")
    return numbers


def remember(table: OrderedDict[Any, Value], key: Hashable, value: Value, most: int = _MOST_RATES) -> Value:
    """Put ``value`` into ``table`` and return it; beyond ``most`` entries the oldest is removed."""
    table[key] = value
    if len(table) > most:
        table.popitem(last=False)
    return value


SCALE = 127.0
"""A meaning is a word vector of length 1 in signed bytes, in which SCALE stands for 1."""


class TitleDirection(NamedTuple):
    """gain(v) = trust · (weights · v - mean): v is the meaning of an anchor, ``mean`` the average of weights · v over the titles."""

    weights: NDArray[Any] | None = None
    mean: float = 0.0
    trust: float = 0.0

    def gain(self, meaning: bytes) -> float:
        """The log-odds that the meaning of its anchor adds to a link; 0 when it is unknown."""
        if self.weights is None or not meaning:
            return 0.0
        import numpy as np  # here, because listing the policies needs no numpy

        along = float(np.frombuffer(meaning, np.int8) @ self.weights) / SCALE - self.mean
        return round(self.trust * along, 6)

    def state(self) -> dict[str, Any]:
        """As plain data."""
        weights = [] if self.weights is None else self.weights.astype(float).round(4).tolist()
        return {"weights": weights, "mean": self.mean, "trust": self.trust}

    @classmethod
    def read(cls, state: Mapping[str, Any]) -> TitleDirection:
        """What ``state`` gave; KeyError, TypeError or ValueError for anything else."""
        import numpy as np

        from topicspider.text.lexicon import word_vectors

        numbers = [float(weight) for weight in state["weights"]]
        mean, trust = float(state["mean"]), float(state["trust"])
        is_sound = all(map(math.isfinite, (*numbers, mean))) and 0.0 <= trust < 1.0
        if not is_sound or (numbers and len(numbers) != word_vectors().dimension):
            raise ValueError("no direction among these word vectors")
        return cls(np.array(numbers, dtype=np.float32) if numbers else None, mean, trust)


STATIC_FEATURES = {"anchor": 3.0, "context": 0.7, "url": 1.0, "pagination": 0.5, "parent": 1.0, "parent_hit": 0.5, "same": -1.5}  # fmt: skip
"""Features that do not change while the link waits, with the prior's weights (log-odds for each unit).

The weights are set by hand: with a strong topic word in the anchor a link is about as likely on topic as not; weights that are not of
texts only say in which direction a feature points. anchor, context, url: the similarity of that text to the topic; context are the words
around the link. parent: the page's relevance; parent_hit: whether it is a hit. same: whether the link leads from a hit to the hit itself
in another form (``is_same``), or to a text that is known with another query (``text_of``)."""
DYNAMIC_FEATURES = {"titles": 0.7, "site": 0.8, "pattern": 0.8, "list": 0.8, "group": 0.8, "citations": 0.8}
"""Features that change with every page. titles: the gain of TitleDirection. The others are the log-odds gains of the rates that the
link belongs to; citations: of the hit rate of the pages that link to it in their main part, without the first, which the features of
the parent describe. (With the first, the harvest of sites falls by .02.)"""
BASE = -2.0
"""Log-odds of a link of which nothing is known."""
NAMES = (*STATIC_FEATURES, *DYNAMIC_FEATURES)
PRIOR = (*STATIC_FEATURES.values(), *DYNAMIC_FEATURES.values())
GROUPS = {
    "anchor": ("anchor", "titles"),
    "context": ("context",),
    "url": ("url",),
    "parent": ("parent", "parent_hit"),
    "place": ("pagination", "same"),
    "site": ("site", "pattern"),
    "list": ("list", "group"),
    "citations": ("citations",),
}
"""How features are grouped when a score is explained."""
_CACHED = 20_000
_TEXTS_AT_ONCE = 256
_WORDS_READ, _WORDS_OF_TITLE = 12, 20
"""Words read of one text (an anchor with more is a paragraph), and of a title."""


TextNews = tuple[dict[str, float], dict[str | tuple[str, ...], bytes]]
"""Similarities by text, and meanings by text or by the words of a title."""


class TextSimilarity:
    """The similarity of short texts to a topic, in [0, 1): by the topic's words, and by meaning.

    similarity = 1 - (1 - by_words) · (1 - by_meaning);
    by_words = s / (s + h), s = Σ weight · idf of the text's topic words, h = .6 times the largest weight · idf of the topic;
    by_meaning = .6 · max(0, σ(.7 · z - 3.5) - .05), z the ``z_score`` of the cosine of text and topic.
    """

    def __init__(self, context: PolicyContext) -> None:
        self._tokenizer = context.tokenizer
        profile, model = context.profile, context.model
        weights = {word: weight * profile.idf.get(word, 1.0) for word, weight in profile.weights.items()}
        self._half = 0.6 * max(weights.values(), default=1.0)
        self._weights = {word: weights.get(feature, 0.0) for word, feature in profile.synonyms.items()} | weights
        if model is not None:
            for word, near in model.expansion.items():
                self._weights.setdefault(word, near.weight * self._weights.get(near.of, 0.0))
            for spelling, word in model.url_words.items():
                self._weights.setdefault(spelling, self._weights.get(word, 0.0))
        self._meanings = TextCosines(model.vector) if model is not None and model.vector else None
        self._known: dict[str, float] = {"": 0.0}
        self._meaning_of: dict[str | tuple[str, ...], bytes] = {}
        self.news: TextNews = ({}, {})
        """What the last ``read`` computed."""

    def meaning(self, text: str) -> bytes:
        """The meaning of an anchor, a vector in bytes (see SCALE); empty when it is unknown."""
        self.of(text)
        return self._meaning_of.get(text, b"")

    def of(self, text: str) -> float:
        """The similarity of a text to the topic: an anchor, the words around a link, or a URL (by the words in it)."""
        if text not in self._known:
            self.read((text,))
        return self._known[text]

    def take(self, news: TextNews) -> None:
        """Add what another process computed for the same topic."""
        self._known.update(news[0])
        self._meaning_of.update(news[1])

    def read(self, texts: Iterable[str], title: tuple[str, ...] = ()) -> bytes:
        """Compute and cache similarity and meaning of ``texts`` in one batch, which costs less; returns the meaning of ``title``."""
        if max(len(self._known), len(self._meaning_of)) > _CACHED:  # titles are in the second only
            self._known, self._meaning_of = {"": 0.0}, {}
        new = {text: dict.fromkeys(self._words_of(text)) for text in dict.fromkeys(texts) if text not in self._known}
        similarities, meanings = self.news = {text: self._by_words(words) for text, words in new.items()}, {}
        if self._meanings is not None:
            titles = [] if title in self._meaning_of else [dict.fromkeys(title[:_WORDS_OF_TITLE])]
            cosines = self._meanings.cosines([*new.values(), *titles])
            if titles:
                meanings[title] = cosines.pop()[1]
            for (text, by_words), (cosine, meaning) in zip(similarities.items(), cosines, strict=True):
                meanings[text] = meaning
                similarities[text] = round(1.0 - (1.0 - by_words) * (1.0 - by_meaning(cosine)), 6)
        self.take(self.news)
        return self._meaning_of.get(title, b"")

    def _words_of(self, text: str) -> Sequence[str]:
        """The words of a text, or those in a URL."""
        if not text.startswith(("http://", "https://")):
            return self._tokenizer.words(text)[:_WORDS_READ]
        words: list[str] = []
        for piece in words_in_url(text):
            words += [piece] if piece.isascii() else self._tokenizer.words(piece)
        return words

    def _by_words(self, words: Collection[str]) -> float:
        """See TextSimilarity; ``words`` has no duplicates."""
        total = 0.0
        if not self._weights.keys().isdisjoint(words):
            for word in words:
                total += self._weights.get(word, 0.0)
        return total / (total + self._half) if total else 0.0


def by_meaning(cosine: float) -> float:
    """See TextSimilarity."""
    return 0.6 * max(0.0, sigmoid(0.7 * z_score(cosine) - 3.5) - 0.05)


class TextCosines:
    """The cosines of short texts with a topic's direction among the word vectors; no text's cosine depends on the others in its batch."""

    def __init__(self, direction: Sequence[float]) -> None:
        import numpy as np

        from topicspider.text.lexicon import word_vectors

        self._table = word_vectors()
        self._direction = np.asarray(direction, dtype=np.float32)
        self._known: dict[str, tuple[int, float, float] | None] = {}  # row, idf, product with the direction

    def cosines(self, texts: Sequence[Collection[str]]) -> list[tuple[float, bytes]]:
        """For each text, given as its distinct words: its cosine and its meaning (see SCALE); 0 and b"" when no word has a vector."""
        import numpy as np

        known, found = self._known, []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            batch = texts[start : start + _TEXTS_AT_ONCE]
            if len(self._known) > _CACHED:
                self._known.clear()
            new = dict.fromkeys(word for words in batch for word in words if word not in known)
            known.update(new)
            rows_of_new = zip(new, self._table.places.some(new), strict=True)
            found_rows = {word: row for word, row in rows_of_new if row is not None}
            products = self._table.some_products(list(found_rows.values()), self._direction).tolist()
            for (word, row), idf, product in zip(found_rows.items(), idfs(found_rows), products, strict=True):
                known[word] = row, idf, product
            rows = np.zeros((len(batch), max(map(len, batch))), np.intp)
            weights = np.zeros(rows.shape, np.float32)
            towards = []
            for number, words in enumerate(batch):
                along = 0.0
                places = filter(None, map(known.__getitem__, words))
                for column, (row, weight, product) in enumerate(places):
                    rows[number, column], weights[number, column] = row, weight
                    along += weight * product
                towards.append(along)
            sums = self._table.sums(rows, weights)
            lengths = np.sqrt(np.einsum("td,td->t", sums, sums))
            meanings = np.rint(sums * (SCALE / np.maximum(lengths, 1e-9))[:, None]).astype(np.int8)
            for along, length, meaning in zip(towards, lengths.tolist(), meanings, strict=True):
                # rounded: other machines sum in another order, which changes the last bits
                found.append((round(along / length, 6), meaning.tobytes()) if length > 0.0 else (0.0, b""))
        return found


def static_features(
    link: Link, similarity: TextSimilarity, standing: tuple[float, float], hit: str, is_first: bool
) -> tuple[float, ...]:
    """A link's features in the order of STATIC_FEATURES. ``standing``: parent and parent_hit, which links in menus do not inherit;
    ``hit``: the page's URL when it is a hit, else ""; ``is_first``: no link with another query leads to the same text (``text_of``)."""
    is_own = belongs_to_page(link)
    return (
        similarity.of(anchor_of(link)),
        similarity.of(_around(link)) if is_own else 0.0,
        similarity.of(link.url),
        float(link.is_pagination),
        *(standing if is_own else (0.0, 0.0)),
        float(not link.is_pagination and (not is_first or (bool(hit) and is_same(link.url, hit)))),
    )


def anchor_of(link: Link) -> str:
    """The text of the link, or its title when it has no text."""
    return link.anchor or link.title


def belongs_to_page(link: Link) -> bool:
    """Whether the link is in the page's main part, or leads to another page of its list (often in the footer); others are menu links."""
    return link.block == "main" or link.is_pagination


def texts_of(link: Link) -> tuple[str, ...]:
    """The texts of a link besides its anchor: its URL and, unless it is in a menu, the words around it."""
    return (link.url, _around(link)) if belongs_to_page(link) else (link.url,)


def _around(link: Link) -> str:
    return f"{link.before} {link.after}".strip()


_DIGITS = re.compile(r"\d+")
_NAME_OF_FOLDER = re.compile(r"(?<![^/])[^/%]*+%[^/]*|(?<=/)[^/]+(?=/page$)")
_LONGEST_ENDING = 5
_KIND_AND_NUMBERS = re.compile(r"(?:[A-Za-z]{1,10}(?:[-_][A-Za-z]{1,4})?[-_]?)?\d[\d_-]*")


def site_name(url: str) -> str:
    """The host of a canonical URL, without www. The many blogs under one registered domain are thus a site each."""
    start = url.find("://") + 3
    end = url.find("/", start)
    return _host_without_www(url[start:] if end < 0 else url[start:end])


@lru_cache(maxsize=50_000)
def _host_without_www(authority: str) -> str:
    return host_of(f"http://{authority}/").removeprefix("www.")


def url_pattern(url: str) -> str:
    """Path and query with what differs from page to page replaced: numbers by 0; the last name, non-ASCII ones and those before /page by s.

    ``/tag/12/old-town.html?p=3`` becomes ``/tag/0/s.html?p=0``: the articles of one column share a pattern, and so do its lists.
    ``/tags/旅行/`` becomes ``/tags/s/``, ``/tags/food/page/2/`` becomes ``/tags/s/page/0/``. The last name is kept where it tells the kind
    of page: a word with numbers (``/thread-12-1.html`` becomes ``/thread-0-0.html``), or a program with a query (``/show.php?id=7``).
    """
    path, mark, query = _path_of(url).partition("?")
    head, _, last = path.removesuffix("/").rpartition("/")
    closing = "/" if last and path.endswith("/") else ""
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > _LONGEST_ENDING:
        stem, dot, ending = last, "", ""
    is_program = bool(query) and dot and "htm" not in ending
    name = _DIGITS.sub("0", stem) if is_program or _KIND_AND_NUMBERS.fullmatch(stem) else "s" if stem else ""
    pairs = sorted(_pattern_of_pair(pair) for pair in query.split("&")) if mark else []
    return f"{_pattern_of_folder(head)}/{name}{dot}{ending}{closing}{mark}{'&'.join(pairs)}"


@lru_cache(maxsize=50_000)
def _pattern_of_folder(path: str) -> str:
    return _DIGITS.sub("0", _NAME_OF_FOLDER.sub("s", path))


def _pattern_of_pair(pair: str) -> str:
    key, _, value = pair.partition("=")
    return f"{key}={_DIGITS.sub('0', value) if len(value) < 20 and (value.islower() or value.isdigit()) else ''}"


_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?:[01]\d(?:[0-3]\d)?)?(?!\d))\d{3,12}(?!\d)")
"""The number of a page: 3 to 12 digits that are no year, month (202405) or day (20240517)."""


def is_same(url: str, page_url: str) -> bool:
    """Whether ``url`` is another form of a page (print, reply, history): with more parameters, its number, or its name as a value."""
    more, own = _own_name(page_url)
    if more and url.startswith(more):
        return True
    address = _path_of(url)
    if not own or url == page_url:
        return False
    values = (pair.partition("=")[2].rpartition(":")[2] for pair in address.partition("?")[2].split("&"))
    return own in (_DIGITS.findall(address) if own.isdigit() else values)


@lru_cache(maxsize=64)
def _own_name(page_url: str) -> tuple[str, str]:
    """(how URLs begin that add parameters to the page's, "" for none; the number in its URL, else the last name of its path)."""
    path, _, query = _path_of(page_url).partition("?")
    stem, _, ending = path.rstrip("/").rpartition("/")[2].partition(".")
    # /list.php itself is no text: /list.php?id=3 is an article that it lists
    is_text = bool(query) or (bool(stem) and (not ending or "htm" in ending))
    numbers = _NUMBER.findall(stem) or _NUMBER.findall(query)
    return page_url + ("&" if query else "?") if is_text else "", numbers[-1] if numbers else "" if query else stem


def text_of(url: str) -> int:
    """The fingerprint of ``url``, without its query when its path ends in a page number: /a/7012.shtml?from=index is /a/7012.shtml."""
    bare = url.partition("?")[0]
    return fingerprint(bare if _NUMBER.search(_path_of(bare).rstrip("/").rpartition("/")[2]) else url)


def _path_of(url: str) -> str:
    start = url.find("/", url.find("://") + 3)
    return "/" if start < 0 else url[start:]
