"""``scrapy explain URL``: takes the scores of a page and of its links apart: from the store when it was crawled, else (or with --fetch) fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from math import isclose
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from topicspider.cli.command import add_topic_option, print_json, terminal_columns
from topicspider.errors import ConfigError, UnavailableError, one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, join_wrapped, table, wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from scrapy.http import Response

    from topicspider.cli.command import CliCommand
    from topicspider.cli.judge import CrawlModel, OfflineJudge
    from topicspider.crawl_config import CrawlConfig
    from topicspider.crawled_page import CrawledPage
    from topicspider.store.rows import LinkRow, PageRow
    from topicspider.store.store import Store

SYNTAX = "--topic NAME [--fetch] [--json] URL"
ABOUT = (
    "Take a page's relevance apart into named parts that add up to it, word by word, say who found it, and show why its links were kept "
    "or pruned: from the store when the page was crawled (judged anew by its stored text), else fetched politely."
)
MOST_LINKS = 1000
SHOWN_LINKS = 15
BESIDE_THE_CRAWL = {"frontier": "memory:", "store": "memory:", "model": "memory:", "live": "off"}
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
    "opic": N_("score = cash of the target: each page gives its own to its links in equal parts"),
    "best_first": N_("score = score of the page that the link is on"),
    "hard_focus": N_("score = score of the page that the link is on; links of misses are pruned"),
}
LEGEND = {
    "boolean": N_("n / (n + 3), n = words of the topic on the page"),
    "vsm": N_("cosine of the words of page and topic"),
    "A": N_("4·B + C"),
    "B": N_("cosine of title and topic"),
    "C": N_("cosine of body and topic"),
    "prior": N_("the score before the crawl has taught anything"),
    "bm25": N_("s / (s + 1), s = BM25 of the topic's words"),
    "semantic": N_("similarity of meaning, by word vectors"),
    "base": N_("a link of which nothing is known"),
    "anchor": N_("words of the link and of those beside it"),
    "context": N_("words around the link"),
    "url": N_("words of its URL"),
    "parent": N_("the page that it is on: its score, and whether it is a hit"),
    "place": N_("where it stands and leads: pagination, another site, home, index"),
    "tunnel": N_("steps since the last hit"),
    "site": N_("hits so far of its site and URL pattern"),
    "list": N_("hits so far of the list that it stands in"),
    "novelty": N_("a site of which little is known"),
    "inherited": N_("score handed down by the pages above"),
    "rw": N_("relevance weight: the largest similarity to the topic's words"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser)
    parser.add_argument("--fetch", action="store_true", help="fetch the page even if it is in the store")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Explain the page from the store, else fetch it."""
    from topicspider.crawl_config import CrawlConfig
    from topicspider.url import canonicalize

    if len(args) != 1:
        raise UsageError
    url = canonicalize(args[0])
    if url is None:
        raise ConfigError("URL", args[0], "an http:// or https:// URL")
    command.set_option("topic", opts.topic)
    command.set_option("seeds", url)
    assert command.settings is not None
    plan = CrawlConfig.read(command.settings)
    explanation = (None if opts.fetch else stored(plan, url)) or fetched(command, plan, url)
    if opts.json:
        print_json(explanation.as_json())
    else:
        print(explanation_text(explanation, terminal_columns()))


@dataclass(frozen=True, slots=True)
class LinkScoreParts:
    """One link. ``is_sum``: its parts add up to its score; of other policies (ipagerank) they are what the score is made from."""

    url: str
    anchor: str
    score: float
    pruned: str
    parts: Mapping[str, float]

    @property
    def is_sum(self) -> bool:
        """Whether the parts add up to the score."""
        return bool(self.parts) and not self.pruned and isclose(sum(self.parts.values()), self.score, abs_tol=1e-6)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "parts_sum": self.is_sum}


@dataclass(frozen=True, slots=True)
class PageScoreParts:
    """One topic's score of a page; ``words`` are the parts that sum to it (empty when its text is not known).

    ``stored``: the row of the page, when it comes from the store; then ``score`` is today's, unless the text is not there. ``found_by``:
    how the link was judged that led to it, as far as the store has a sample of it.
    """

    url: str
    title: str
    topic: str
    scorer: str
    score: float
    on_topic: bool
    threshold: float
    parts: Mapping[str, float]
    words: Sequence[tuple[str, float]] = ()
    has_text: bool = True
    stored: PageRow | None = None
    found_by: LinkScoreParts | None = None

    @property
    def has_moved(self) -> bool:
        """Whether the topic, the scorer or what was learned has changed the score since the page was stored."""
        row = self.stored
        if row is None:
            return False
        now, then = (self.score, self.threshold), (row.item.relevance, row.threshold)
        return not all(isclose(*pair, abs_tol=1e-6) for pair in zip(now, then, strict=True))

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        row, link = self.stored, self.found_by
        before = row and {
            "score": row.item.relevance,
            "threshold": row.threshold,
            "on_topic": row.on_topic,
            "scorer": row.scorer,
            "fetched_at": row.item.fetched_at,
        }
        referrer, depth = (row.item.referrer, row.item.depth) if row else ("", 0)
        found_by = {"referrer": referrer, "depth": depth, "link": link.as_json() if link else None}
        plain = ("url", "title", "topic", "scorer", "score", "on_topic", "threshold")
        return {
            **{name: getattr(self, name) for name in plain},
            "parts": dict(self.parts),
            "words": [{"part": name, "value": value} for name, value in self.words] if self.has_text else None,
            "sum": sum(value for __, value in self.words) if self.has_text else None,
            "stored": before,
            "found_by": found_by if referrer else None,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A page by every topic that was asked for, and its links; ``condition`` says why it is no page at all, ``model`` what was judged by."""

    pages: Sequence[PageScoreParts] = ()
    links: Sequence[LinkScoreParts] = field(default=())
    condition: str = ""
    model: CrawlModel | None = None
    link_policy: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "pages": [page.as_json() for page in self.pages],
            "links": [link.as_json() for link in self.links],
            "condition": self.condition,
            "model": self.model.as_json() if self.model else None,
        }


def stored(plan: CrawlConfig, url: str) -> Explanation | None:
    """What the store knows of the page; None when it does not know it."""
    from topicspider.cli.judge import load_judge, load_model
    from topicspider.store import location
    from topicspider.store.location import open_store

    path = plan.folder / location.FILE
    if not plan.options.store and not path.exists():
        return None
    with closing(open_store(plan.options.store, path, plan.options.connect_wait)) as store:
        rows = [row for topic in plan.topics if (row := store.page(topic.name, url)) is not None]
        links = store.links_from(plan.name, url, limit=MOST_LINKS)
        found_by = [_link_to(store, plan.name, row) for row in rows]
    if not rows:
        return None
    judges = {topic.name: load_judge(topic.source, plan.options) for topic in plan.topics}
    model = load_model([judge.view for judge in judges.values()], plan.options, plan.folder, plan.name)
    pages = [_of_stored(row, judges[row.item.topic], link) for row, link in zip(rows, found_by, strict=True)]
    return Explanation(pages, list(map(_of_stored_link, links)), model=model, link_policy=plan.options.link_policy)


def _link_to(store: Store, crawl: str, row: PageRow) -> LinkScoreParts | None:
    """The link by which the page of ``row`` was found."""
    links = store.links_from(crawl, row.item.referrer, limit=MOST_LINKS) if row.item.referrer else []
    return next((_of_stored_link(link) for link in links if link.target_url == row.item.url), None)


def _of_stored_link(row: LinkRow) -> LinkScoreParts:
    return LinkScoreParts(row.target_url, row.anchor, row.score, row.pruned, row.parts)


def _of_stored(row: PageRow, judge: OfflineJudge, found_by: LinkScoreParts | None) -> PageScoreParts:
    """A stored page judged anew by its stored text; of a miss, stored without, what was said of it then."""
    item = row.item
    before = PageScoreParts(
        item.url,
        item.title,
        item.topic,
        row.scorer,
        item.relevance,
        row.on_topic,
        row.threshold,
        item.parts,
        has_text=False,
        stored=row,
        found_by=found_by,
    )
    if not item.body:
        return before
    words = judge.words(item.title, item.body)
    score = judge.judge(words)
    return replace(
        before,
        scorer=judge.view.judge.scorer_name,
        score=score.value,
        on_topic=score.on_topic,
        threshold=score.threshold,
        parts=score.parts,
        words=tuple(judge.view.judge.explain(words)),
        has_text=True,
    )


def fetched(command: CliCommand, crawled: CrawlConfig, url: str) -> Explanation:
    """What a fetch of the page tells, as a crawl would fetch it, and judge it by what the crawl of the same topics has learned."""
    from scrapy.crawler import AsyncCrawlerProcess

    from topicspider.cli.judge import load_model
    from topicspider.cli.preflight import check_values
    from topicspider.crawl_components import CrawlComponents
    from topicspider.crawl_config import CrawlConfig

    for option, value in ONE_FETCH.items():
        command.set_option(option, value)
    settings = command.settings
    assert settings is not None
    plan = CrawlConfig.read(settings)
    check_values(settings, plan)
    assembly = CrawlComponents(plan)
    views = assembly.subject.views
    model = load_model(views, crawled.options, crawled.folder, crawled.name)
    visits = _fetch_one(AsyncCrawlerProcess(settings), assembly)
    if not visits:
        reasons = ", ".join(assembly.tally.errors) or "no answer"
        hint = f"`scrapy doctor -a seeds={url}` with the topic shows each step"
        raise UnavailableError(url, f"could not be fetched: {reasons}", hint)
    visit = visits[-1]
    if visit.page.condition:
        return Explanation(condition=f"{visit.page.condition} ({visit.page.condition_why})")
    pages = []
    for view in views:
        score, parts = visit.scores[view.topic], tuple(view.judge.explain(visit.words))
        named = (visit.url, visit.page.title, view.topic, view.judge.scorer_name)
        pages.append(PageScoreParts(*named, score.value, score.on_topic, score.threshold, score.parts, parts))
    judged = visit.judge_links()
    links = [
        LinkScoreParts(link.link.url, link.link.anchor, link.score.value, link.score.pruned, link.score.parts)
        for link in [*judged.kept, *judged.pruned]
    ]
    return Explanation(pages, links, model=model, link_policy=plan.options.link_policy)


def _fetch_one(process: Any, assembly: Any) -> list[CrawledPage]:
    """Fetch the seeds as a crawl would, and follow nothing."""
    from topicspider.spiders.topic import TopicSpider

    visits: list[CrawledPage] = []

    class OnePageSpider(TopicSpider):
        def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
            visits.append(assembly.page_of(response))
            return iter(())

    crawler = process.create_crawler(OnePageSpider)
    assembly.adopt(crawler)
    process.crawl(crawler)
    process.start()
    return visits


def explanation_text(explanation: Explanation, columns: int) -> str:
    """The whole explanation; no line is wider than ``columns``."""
    if explanation.condition:
        words = _("an answer that is no page, and is not judged")
        return fit(f"{words}: {one_line(explanation.condition)}", columns)
    judged_by = explanation.model.words() if explanation.model else ""
    blocks = ["\n".join(wrap(judged_by, columns))] if judged_by else []
    blocks += ["\n".join(fit(line, columns) for line in _page(page, columns)) for page in explanation.pages]
    kept = sorted((link for link in explanation.links if not link.pruned), key=lambda link: -link.score)
    pruned = [link for link in explanation.links if link.pruned]
    blocks.append(_links(_("links kept"), kept, columns))
    blocks.append(_links(_("links pruned"), pruned, columns))
    parts = [name for link in [*kept[:SHOWN_LINKS], *pruned[:SHOWN_LINKS]] for name in link.parts]
    legend = _legend(LINK_FORMULAS.get(explanation.link_policy), parts) if parts else []
    return "\n".join([*blocks, *(["", *(fit(line, columns) for line in legend)] if legend else [])])


def _legend(formula: str | None, parts: Sequence[str]) -> list[str]:
    """The formula, and one line for each part."""
    known = [name for name in dict.fromkeys(parts) if name in LEGEND]
    lines = table([(f"  {name}", _(LEGEND[name])) for name in known], columns=400).split("\n") if known else []
    return [*([_(formula)] if formula else []), *lines]


def _page(page: PageScoreParts, columns: int) -> Iterator[str]:
    yield ""
    yield one_line(page.url)
    yield one_line(page.title, 300)
    result = _("a hit") if page.on_topic else _("a miss")
    values = {"score": page.score, "threshold": page.threshold, "scorer": page.scorer}
    yield f"{page.topic}: " + _("{result}: {score:.4f} (threshold {threshold:.4f}, {scorer})", result=result, **values)
    yield from join_wrapped([f"{name}={value:.4g}" for name, value in page.parts.items()], columns)
    yield from (
        line for text in _legend(PAGE_FORMULAS.get(page.scorer), list(page.parts)) for line in wrap(text, columns)
    )
    yield from _found_by(page, columns)
    for line in _since(page):
        yield from wrap(line, columns)
    if page.has_text:
        yield from _words(page, columns)


def _found_by(page: PageScoreParts, columns: int) -> Iterator[str]:
    """The page that linked here, and how its link was judged."""
    if page.stored is None or not page.stored.item.referrer:
        return
    item = page.stored.item
    yield _("found on {url} (depth {depth})", url=one_line(item.referrer), depth=item.depth)
    if page.found_by is not None:
        yield "  " + _("anchor: {anchor}", anchor=one_line(page.found_by.anchor, 80) or "-")
        yield from (f"  {line}" for line in join_wrapped(_parts(page.found_by), columns - 2))


def _since(page: PageScoreParts) -> Iterator[str]:
    """What has changed since the page was stored, and what the store does not know."""
    row = page.stored
    if row is None:
        return
    if not page.has_text:
        yield _("misses are stored without their text: no words to show; --fetch asks for the page anew")
    elif page.has_moved:
        yield _(
            "when crawled it scored {score:.4f} ({scorer}, threshold {threshold:.4f}); topic, scorer or what was learned have moved on",
            score=row.item.relevance,
            scorer=row.scorer,
            threshold=row.threshold,
        )


def _words(page: PageScoreParts, columns: int) -> Iterator[str]:
    """The parts of the score, those that weigh most first, and their sum."""
    if not page.words:
        yield _("No word of the topic.")
        return
    ranked = sorted(page.words, key=lambda part: (-abs(part[1]), part[0]))
    shown, rest = sorted(ranked[:12], key=lambda part: -part[1]), ranked[12:]
    rows = [(f"{value:+.4f}", one_line(name)) for name, value in shown]
    if rest:
        rows.append((f"{sum(value for __, value in rest):+.4f}", f"… {len(rest)}"))
    total = sum(value for __, value in page.words)
    rows.append((f"= {total:.4f}", _("the sum of {count} parts", count=len(page.words))))
    yield from table(rows, right=(0,), columns=columns).split("\n")


def _links(head: str, links: Sequence[LinkScoreParts], columns: int) -> str:
    lines = [f"\n{head}: {len(links)}"]
    shown = links[:SHOWN_LINKS]
    rows = [
        (
            f"{link.score:.4f}",
            fit(link.pruned or "-", 14),
            fit(one_line(link.anchor) or "-", 20),
            one_line(link.url),
        )
        for link in shown
    ]
    for link, row in zip(shown, table(rows, right=(0,), columns=columns).split("\n"), strict=False):
        lines += [row, *(f"        {line}" for line in join_wrapped(_parts(link), columns - 8))]
    if len(links) > SHOWN_LINKS:
        lines.append(f"        … {len(links) - SHOWN_LINKS}")
    return "\n".join(lines)


def _parts(link: LinkScoreParts) -> list[str]:
    """The parts of a link's score; joined by + and = where they add up to it."""
    named = [one_line(f"{name}={value:.3g}") for name, value in link.parts.items()]
    if not link.is_sum:
        return named
    return [*(f"{part} +" for part in named[:-1]), named[-1], f"= {link.score:.4g}"]
