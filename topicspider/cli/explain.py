"""``scrapy explain URL``: splits the scores of a page and of its links into parts; reads the store, or (with --fetch) fetches the page."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerProcess

from topicspider.cli.command import (
    BESIDE_THE_CRAWL,
    CliCommand,
    add_format_options,
    add_topic_option,
    print_json,
    terminal_columns,
)
from topicspider.cli.crawl_data import use_crawl, use_spiders_crawl
from topicspider.errors import ConfigError, NotCrawled, UnavailableError, one_line
from topicspider.i18n import N_, is_chinese, labelled, ngettext
from topicspider.i18n import gettext as _
from topicspider.relevance.interfaces import PageScore, PageWords
from topicspider.relevance.page_prior import FILED, FILED_ELSEWHERE, SECTION
from topicspider.store import location
from topicspider.store.location import store_of_crawl
from topicspider.text.terminal import fit, pad, width, wrap
from topicspider.topic.profile import crawl_name
from topicspider.url import canonicalize

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from scrapy.http import Response
    from scrapy.settings import Settings

    from topicspider.cli.judge import CrawlModel, OfflineJudge
    from topicspider.crawl_components import CrawlComponents
    from topicspider.crawl_config import CrawlConfig
    from topicspider.crawled_page import CrawledPage
    from topicspider.judging import TopicView
    from topicspider.store.rows import LinkRow, PageRow
    from topicspider.store.store import Store

SYNTAX = "[--topic NAME] [--fetch] [--json] URL"
ABOUT = (
    "Take a page's relevance apart into named parts that add up to it, word by word, say who found it, and show why its links were kept "
    "or pruned: from the store when the page was crawled (judged anew by its stored text), else fetched politely."
)
SHOWN_LINKS = 15
MOST_TURNING = 12
"""Words. A verdict that does not change without this many words is clear."""
ONE_FETCH = {**BESIDE_THE_CRAWL, "max_pages": "1", "fresh": "0", "attempts": "1"}
PAGE_FORMULAS = {
    "learned": N_("score = σ(start + Σ evidence) · (1 - share of negative words), σ(x) = 1 / (1 + e^-x)"),
    "bm25": N_("score = s / (s + h), s = Σ weight · idf · tf·(k1+1) / (tf + k1)"),
    "vsm": N_("score = cosine of the words of page and topic"),
    "a4bc": N_("score = A / 5, A = 4·B + C"),
    "boolean": N_("score = n / (n + 3), n = words of the topic on the page"),
}
LINK_FORMULAS = {
    "learned": N_("score = σ(base + Σ weight · feature); a part is its share of the way from base to score"),
    "shark": N_("score = γ · inherited + (1 - γ) · (β · anchor + (1 - β) · context)"),
    "rw": N_("score = rw, the largest similarity of its texts and the topic's words"),
    "ipagerank": N_("score = rank of the target, to which each link passes on by its rw"),
    "pagerank": N_("score = rank of the target among the pages known so far"),
    "best_first": N_("score = score of the page that the link is on"),
    "hard_focus": N_("score = score of the page that the link is on; links of misses are pruned"),
}
PARTS = {
    "title:": (N_("title: {word}"), N_("this word of the topic, in the title")),
    "filed:": (N_("filed under: {word}"), N_("what its site files it under")),
    "filed elsewhere:": (N_("filed elsewhere: {word}"), N_("its site files it under other words")),
    "section:": (N_("section: {word}"), N_("the section of its site that it lies in")),
    "body:": (N_("text: {word}"), N_("this word of the topic, in the text")),
    "learned:": (N_("learned: {word}"), N_("this word, as the hits and misses so far have it")),
    "word:": (N_("word: {word}"), ""),
    "boolean": (N_("words of the topic"), N_("n / (n + 3), n = words of the topic on the page")),
    "vsm": (N_("cosine"), N_("cosine of the words of page and topic")),
    "A": ("A", N_("4·B + C")),
    "B": ("B", N_("cosine of title and topic")),
    "C": ("C", N_("cosine of body and topic")),
    "bm25": ("bm25", N_("s / (s + 1), s = BM25 of the topic's words")),
    "prior": (N_("before the crawl"), N_("the score before the crawl has taught anything")),
    "semantic": (N_("meaning"), N_("similarity of meaning, by word vectors")),
    "semantic title": (N_("meaning of the title"), N_("how near in meaning the title is to the topic")),
    "semantic body": (N_("meaning of the text"), N_("how near in meaning the text is to the topic")),
    "usual words": (N_("usual words"), N_("what words of the topic tell of a page that is not about it")),
    "semantic of other topics": (N_("meaning of other topics"), ""),
    "semantic of every part": (N_("meaning of every part of the name"), ""),
    "semantic of one part alone": (N_("meaning of one part of the name alone"), ""),
    "learned meaning": (N_("learned meaning"), N_("how near in meaning it is to the hits and misses so far")),
    "labels": (N_("your labels"), N_("what your labels have taught")),
    "learned": (N_("learned score"), ""),
    "meaning": (N_("meaning"), ""),
    "rarity": (N_("rarity"), ""),
    "base": (N_("base"), N_("a link of which nothing is known")),
    "anchor": (N_("link text"), N_("words and meaning of the link")),
    "context": (N_("words around it"), N_("words around the link")),
    "url": (N_("its URL"), N_("words of its URL")),
    "parent": (N_("the page it is on"), N_("the page that it is on: its score, and whether it is a hit")),
    "place": (N_("next page of a list"), N_("whether it leads to the next page of its list")),
    "site": (N_("its site"), N_("hits so far among the pages of its site; of a link, of its URL pattern, too")),
    "list": (N_("its list"), N_("hits so far of the list that it stands in")),
    "citations": (N_("who links to it"), N_("hits so far among the pages that link to it")),
    "distance": (N_("how far it is"), N_("how many links its page is away from the last hit or seed on the way there")),
    "novelty": (
        N_("how new its site is"),
        N_("how little is known of its site, and whether its links bring what they promise"),
    ),
    "inherited": (N_("handed down"), N_("score handed down by the pages above")),
    "rw": (N_("relevance weight"), N_("relevance weight: the largest similarity to the topic's words")),
}
"""For each part of a score: its label on the web page and on a Chinese terminal (JSON has its name, the key), and what it means."""


def part_name(name: str) -> str:
    """The label of a part: body:旅游 becomes "text: 旅游"."""
    kind, colon, word = name.partition(":")
    return _(PARTS.get(f"{kind}{colon}", (name, ""))[0], word=word or "…")


def meanings_of(parts: Iterable[str]) -> dict[str, str]:
    """What the parts mean, in the reader's language; the key of a part with a word (body:茶) is its kind (body:)."""
    kinds = {name.partition(":") for name in parts}
    names = {f"{kind}{colon}" for kind, colon, _word in kinds}
    return {name: _(meaning) for name, (_called, meaning) in PARTS.items() if meaning and name in names}


def readable_part(name: str) -> str:
    """A part as a terminal shows it: its name as in JSON, or its label on a Chinese terminal."""
    return part_name(name) if is_chinese() else name


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser, "TOPICSPIDER_TOPIC, else the only crawl")
    parser.add_argument("--fetch", action="store_true", help="fetch the page even if it is in the store")
    add_format_options(parser)


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    from topicspider.crawl_config import CrawlConfig

    url = canonicalize(args[0]) if len(args) == 1 else None
    if url is None:
        raise ConfigError("URL", " ".join(args) or None, "one http:// or https:// URL")
    command.set_option("topic", opts.topic)
    command.set_option("seeds", url)
    folder = use_spiders_crawl(command.settings)
    asked = {topic.name for topic in CrawlConfig.read(command.settings).topics} if command.options().topic else ()
    with suppress(NotCrawled):  # without a crawl, the page is judged as before a first page
        use_crawl(command.settings)
    config = CrawlConfig.read(command.settings)
    config = replace(config, folder=folder or config.folder)
    explanation = (None if opts.fetch else stored(config, url)) or fetched(command, config, url)
    # in a crawl of many classes, a page has scores only for those that stand out on it
    pages = [page for page in explanation.pages if page.topic in asked]
    explanation = replace(explanation, pages=pages or explanation.pages)
    if opts.json:
        print_json(explanation.as_json())
    else:
        columns = terminal_columns()
        print("\n".join(line for text in explanation.lines() for line in wrap(text, columns)))


@dataclass(frozen=True, slots=True)
class LinkScore:
    """One link. ``pruned``: why it is not followed, or "". ``parts`` add up to the score, or are the values it is computed from."""

    url: str
    anchor: str
    score: float
    pruned: str
    parts: Mapping[str, float]

    @property
    def is_sum(self) -> bool:
        return not self.pruned and isclose(sum(self.parts.values()), self.score, abs_tol=5e-5)

    @property
    def is_known(self) -> bool:
        """Whether the policy was not asked because the link leads to a page that was fetched before."""
        return not (self.pruned or self.parts or self.score)

    def lines(self) -> Iterator[str]:
        """The link, and below it the parts of its score, joined by + and = if they add up to it."""
        named = [one_line(f"{readable_part(name)}={value:.3g}") for name, value in self.parts.items()]
        parts = f"{' + '.join(named)} = {self.score:.4g}" if self.is_sum else "  ".join(named)
        score, what = ("-     ", _("fetched before")) if self.is_known else (f"{self.score:.4f}", _(self.pruned) or _("kept"))  # fmt: skip
        yield f"{score}  {pad(fit(one_line(self.anchor) or '-', 20), 20)}  {what}  {one_line(self.url)}"
        if named:
            yield f"        {parts}"


@dataclass(frozen=True, slots=True)
class StoredScore:
    """How a page was judged when it was stored, and how it was found; ``link`` is the link to it, if the store's sample has it."""

    score: float
    threshold: float
    on_topic: bool
    scorer: str
    fetched_at: str
    referrer: str
    depth: int
    link: LinkScore | None


@dataclass(frozen=True, slots=True)
class TurningWords:
    """Words without which the page would be judged the other way: ``on_topic``, at ``score``."""

    words: Sequence[str]
    score: float
    on_topic: bool


def turning_words(view: TopicView, words: PageWords, score: PageScore) -> TurningWords | None:
    """The strongest words for the verdict, as few as change it when they are removed; None if MOST_TURNING words do not."""
    sign = 1 if score.on_topic else -1
    ranked = sorted(view.judge.explain(words), key=lambda part: -sign * part[1])
    taken: dict[str, None] = {}
    for name, value in ranked:
        word = name.rpartition(":")[2].removeprefix("-")
        if sign * value <= 0 or len(taken) == MOST_TURNING:
            break
        if word not in (*words.title, *words.body):
            continue
        taken[word] = None
        fields = (words.title, words.body, words.filed, words.sections)
        title, body, filed, sections = (tuple(one for one in field if one not in taken) for field in fields)
        rest = PageWords(title, body, filed, sections, words.site)
        judged = view.judge.judge(rest)
        if judged.on_topic != score.on_topic:
            return TurningWords(tuple(taken), judged.value, judged.on_topic)
    return None


@dataclass(frozen=True, slots=True)
class PageScoreParts:
    """The score of a page for one topic, as of now; ``words`` are the parts that add up to it, None if its text is not known."""

    url: str
    title: str
    topic: str
    scorer: str
    score: float
    on_topic: bool
    threshold: float
    parts: Mapping[str, float]
    words: Sequence[tuple[str, float]] | None = None
    stored: StoredScore | None = None
    turning: TurningWords | None = None

    def lines(self) -> Iterator[str]:
        """Score, formula, how the page was found, and the words that weigh most with their sum."""
        yield from ("", one_line(self.url), one_line(self.title, 300))
        result = _("a hit") if self.on_topic else _("a miss")
        values = {"score": self.score, "threshold": self.threshold, "scorer": readable_part(self.scorer)}
        words = N_("{result}: {score:.4f} (threshold {threshold:.4f}, {scorer})")
        yield labelled(self.topic, _(words, result=result, **values))
        yield "  ".join(f"{readable_part(name)}={value:.4g}" for name, value in self.parts.items())
        yield from _legend(PAGE_FORMULAS.get(self.scorer, ""), self.parts)
        if self.stored and self.stored.referrer:
            yield _("found on {url} (depth {depth})", url=one_line(self.stored.referrer), depth=self.stored.depth)
        if self.stored and self.stored.link:
            yield from self.stored.link.lines()
        if self.words is None:
            yield _("misses are stored without their text: no words to show; --fetch asks for the page anew")
            return
        if self.stored and not isclose(self.stored.score, self.score, abs_tol=1e-6):
            words = N_("when crawled it scored {score:.4f} ({scorer}); topic, scorer or what was learned have moved on")
            yield _(words, score=self.stored.score, scorer=readable_part(self.stored.scorer))
        ranked = sorted(self.words, key=lambda part: (-abs(part[1]), part[0]))
        for name, value in sorted(ranked[:12], key=lambda part: -part[1]):
            if round(value, 4):
                yield f"{value:+.4f}  {one_line(readable_part(name))}"
        rest = [value for __, value in ranked[12:]]
        if round(sum(rest), 4):
            count = ngettext("{count:,} smaller part together", "{count:,} smaller parts together", len(rest))
            yield f"{sum(rest):+.4f}  {count}"
        total = sum(value for __, value in self.words)
        yield f"= {total:.4f}  " + _("the sum of {count} parts", count=len(self.words))
        if turning := self.turning:
            result = _("a hit") if turning.on_topic else _("a miss")
            words = N_("without {words} it would be {result}: {score:.4f}")
            yield _(words, words=", ".join(turning.words), result=result, score=turning.score)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The scores of a page by topic, and its links. ``condition``: why the answer is no page, or ""; ``model``: what it was judged by."""

    pages: Sequence[PageScoreParts] = ()
    links: Sequence[LinkScore] = ()
    condition: str = ""
    model: CrawlModel | None = None
    link_policy: str = ""

    def as_json(self) -> dict[str, Any]:
        data = asdict(self)
        for page in data["pages"]:
            page["words"] = page["words"] and [{"part": name, "value": value} for name, value in page["words"]]
        return data

    def lines(self) -> Iterator[str]:
        """The lines that a terminal shows, not yet cut to its width."""
        if self.condition:
            yield labelled(_("an answer that is no page, and is not judged"), one_line(self.condition))
            return
        if self.model and self.model.words():
            yield self.model.words()
        for page in self.pages:
            yield from page.lines()
        kept = sorted((link for link in self.links if not link.pruned), key=lambda link: -link.score)
        pruned = [link for link in self.links if link.pruned]
        for head, links in ((_("links kept"), kept), (_("links pruned"), pruned)):
            yield from ("", labelled(head, len(links)))
            yield from (line for link in links[:SHOWN_LINKS] for line in link.lines())
            if len(links) > SHOWN_LINKS:
                more = len(links) - SHOWN_LINKS
                yield "        " + ngettext("… and {count:,} more", "… and {count:,} more", more)
        if parts := {name for link in self.links for name in link.parts}:
            yield from ("", *_legend(LINK_FORMULAS.get(self.link_policy, ""), parts))


def _legend(formula: str, parts: Collection[str]) -> Iterator[str]:
    if formula:
        yield _(formula)
    named = {readable_part(name): meaning for name, meaning in meanings_of(parts).items()}
    yield from (f"  {pad(name, max(map(width, named)))}  {words}" for name, words in named.items())


def stored(config: CrawlConfig, url: str) -> Explanation | None:
    """What the store has of the page, judged again by its stored text; None if the page is not stored."""
    from topicspider.cli.judge import judges_of

    if not config.options.store and not (config.folder / location.FILE).exists():
        return None
    with store_of_crawl(config.options, config.folder) as store:
        names = [topic.name for topic in config.topics]
        return explained(store, names, config.folder, url, lambda _some: judges_of(config.topics, config.options))


def explained(
    store: Store,
    topics: Iterable[str],
    folder: Path,
    url: str,
    load: Callable[[Sequence[str]], Mapping[str, OfflineJudge]],
) -> Explanation | None:
    """The page in ``store`` (None: not there), judged again as the crawl of ``topics`` in ``folder`` would; ``load`` gives their judges."""
    from topicspider.cli.judge import load_model

    names = list(topics)
    rows = [row for name in names if (row := store.page(name, url)) is not None]
    if not rows:
        return None
    crawl = crawl_name(*names)
    loaded = load([row.item.topic for row in rows])
    judges = [loaded[row.item.topic] for row in rows]
    options = judges[0].options
    model = load_model([judge.view for judge in judges], options, folder, crawl)
    pages = []
    for row, judge in zip(rows, judges, strict=True):
        found_by = (link for link in _links_from(store, crawl, row.item.referrer) if link.url == url)
        pages.append(_of_stored(row, judge, next(found_by, None)))
    return Explanation(pages, _links_from(store, crawl, url), model=model, link_policy=options.link_policy)


def _links_from(store: Store, crawl: str, url: str) -> list[LinkScore]:
    return [link_score(row) for row in store.links_from(crawl, url, limit=1000)] if url else []


def link_score(row: LinkRow) -> LinkScore:
    return LinkScore(row.target_url, row.anchor, row.score, row.pruned, row.parts)


def _of_stored(row: PageRow, judge: OfflineJudge, link: LinkScore | None) -> PageScoreParts:
    """A stored page judged again by its stored text; for a miss, which is stored without text, the verdict of then."""
    item = row.item
    found = (item.fetched_at, item.referrer, item.depth, link)
    then = StoredScore(item.relevance, row.threshold, row.on_topic, row.scorer, *found)
    if not item.body:
        return as_then(row, then)
    filed = tuple(name.partition(":")[2] for name in item.parts if name.startswith((FILED, FILED_ELSEWHERE)))
    sections = tuple(name.removeprefix(SECTION) for name in item.parts if name.startswith(SECTION))
    words = judge.words(" ".join((item.title, *filed)), item.body, filed, sections, item.url)
    return _judged(item.url, item.title, judge.view, words, judge.judge(words), then)


def as_then(row: PageRow, then: StoredScore | None = None) -> PageScoreParts:
    """A stored page with the verdict from when it was crawled."""
    item, judged = row.item, (row.scorer, row.item.relevance, row.on_topic, row.threshold)
    return PageScoreParts(item.url, item.title, item.topic, *judged, item.parts, stored=then)


def _judged(
    url: str, title: str, view: TopicView, words: PageWords, score: PageScore, then: StoredScore | None = None
) -> PageScoreParts:
    judged = (view.judge.scorer_name, score.value, score.on_topic, score.threshold, score.parts)
    parts, turning = view.judge.explain(words), turning_words(view, words, score)
    return PageScoreParts(url, title, view.topic, *judged, parts, then, turning)


def fetched(command: CliCommand, crawled: CrawlConfig, url: str) -> Explanation:
    """Fetch the page as a crawl would, and judge it by what the crawl of the same topics has learned."""
    from topicspider.cli.judge import load_model
    from topicspider.cli.preflight import check_values
    from topicspider.cli.read import way_on
    from topicspider.crawl_components import CrawlComponents
    from topicspider.crawl_config import CrawlConfig

    for option, value in ONE_FETCH.items():
        command.set_option(option, value)
    settings = command.settings
    config = CrawlConfig.read(settings)
    check_values(settings, config)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        components = CrawlComponents(replace(config, folder=Path(folder)))
        views = components.subject.views
        model = load_model(views, crawled.options, crawled.folder, crawled.name)
        visits = _fetch_one(settings, components)
    if not visits:
        errors = components.stats.errors
        reasons = _(", ").join(map(_, errors)) or _("no answer")
        hint = way_on(url, crawled.options, " ".join(errors))
        raise UnavailableError(url, _("could not be fetched: {reasons}", reasons=reasons), hint)
    visit = visits[-1]
    page = visit.page
    if page.condition:
        return Explanation(condition=f"{page.condition} ({page.condition_why})")
    scored = [(view, visit.scores[view.topic]) for view in views if view.topic in visit.scores]
    pages = [_judged(visit.url, page.title, view, visit.words, score) for view, score in scored]
    judged = visit.judge_links()
    scores = ((one.link, one.score) for one in (*judged.kept, *judged.pruned))
    links = [LinkScore(link.url, link.anchor, score.value, score.pruned, score.parts) for link, score in scores]
    return Explanation(pages, links, model=model, link_policy=config.options.link_policy)


def _fetch_one(settings: Settings, components: CrawlComponents) -> list[CrawledPage]:
    """Fetch the seeds as a crawl would, and follow no links."""
    from topicspider.spiders.topic import TopicSpider

    visits: list[CrawledPage] = []

    class OnePageSpider(TopicSpider):
        def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
            visits.append(components.page_of(response))
            return iter(())

    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(OnePageSpider)
    components.adopt(crawler)
    process.crawl(crawler)
    process.start()
    return visits
