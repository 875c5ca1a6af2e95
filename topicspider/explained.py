"""Explains a page: as the store knows it, or as a crawl would fetch it (robots.txt, politeness, guard)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from topicspider.assembly import Assembly
from topicspider.cli.judge import load_judge as open_bench
from topicspider.cli.judge import load_model as take_over
from topicspider.defaults import setting_name
from topicspider.errors import UnavailableError
from topicspider.fetches import fetch_of
from topicspider.plan import CrawlPlan
from topicspider.preflight import check_values
from topicspider.spiders.topic import TopicSpider
from topicspider.store import location
from topicspider.store.open import open_store
from topicspider.workbench.explaining.account import Explanation, Finder, of_fetched, of_link, of_stored, of_stored_link

if TYPE_CHECKING:
    from scrapy.crawler import CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from topicspider.store.contract import PageRow, Store
    from topicspider.visit import Visit

MOST_LINKS = 1000
PRIVATE = {"frontier": "memory:", "store": "memory:", "model": "memory:"}
ASIDE = {**PRIVATE, "live": "off", "max_pages": "1", "fresh": "0", "attempts": "1"}


class _OnePage(TopicSpider):
    """Fetches the seeds as a crawl would (robots.txt, politeness, guard), and follows nothing."""

    def __init__(self, visits: list[Visit], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._visits = visits

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
        """Keep the visit for the command."""
        self._visits.append(Assembly.of(self.crawler).visit(fetch_of(response)))
        return iter(())


def stored(plan: CrawlPlan, url: str) -> Explanation | None:
    """What the store knows of the page; None when it does not know it."""
    path = plan.folder / location.FILE
    if not plan.options.store and not path.exists():
        return None
    store = open_store(plan.options.store, path, plan.options.connect_wait)
    try:
        rows = [row for topic in plan.topics if (row := store.page(topic.name, url)) is not None]
        links = store.links_from(plan.name, url, limit=MOST_LINKS)
        finders = [_finder(store, plan.name, row) for row in rows]
    finally:
        store.close()
    if not rows:
        return None
    benches = {topic.name: open_bench(topic.source, plan.options) for topic in plan.topics}
    model = take_over([bench.view for bench in benches.values()], plan.options, plan.folder, plan.name)
    pages = [of_stored(row, benches[row.item.topic], finder) for row, finder in zip(rows, finders, strict=True)]
    return Explanation(pages, [of_stored_link(link) for link in links], model=model)


def fetched(process: CrawlerProcessBase, settings: BaseSettings, crawled: CrawlPlan, url: str) -> Explanation:
    """What a fetch of the page tells, as a crawl would fetch it, and judge it by what the crawl of the same topics has learned."""
    for option, value in ASIDE.items():
        settings.set(setting_name(option), value, priority="cmdline")
    visits: list[Visit] = []
    plan = CrawlPlan.read(settings)
    check_values(settings, plan)
    assembly = Assembly(plan)
    model = take_over(assembly.subject.views, crawled.options, crawled.folder, crawled.name)
    crawler = process.create_crawler(_OnePage)
    assembly.adopt(crawler)
    process.crawl(crawler, visits=visits)
    process.start()
    if not visits:
        reasons = ", ".join(assembly.tally.errors) or "no answer"
        raise UnavailableError(
            url,
            f"could not be fetched: {reasons}",
            f"`scrapy doctor -a seeds={url}` with the topic shows each step",
        )
    visit = visits[-1]
    if visit.page.condition:
        return Explanation(condition=f"{visit.page.condition} ({visit.page.condition_why})")
    pages = [
        of_fetched(visit.url, visit.page.title, view, visit.scores[view.topic], visit.words)
        for view in assembly.subject.views
    ]
    verdicts = visit.judge_links()
    return Explanation(pages, [of_link(one) for one in [*verdicts.kept, *verdicts.pruned]], model=model)


def _finder(store: Store, crawl: str, row: PageRow) -> Finder | None:
    """Who found the page of ``row``; None for a seed."""
    item = row.item
    if not item.referrer:
        return None
    links = store.links_from(crawl, item.referrer, limit=MOST_LINKS)
    link = next((link for link in links if link.target_url == item.url), None)
    return Finder(item.referrer, item.depth, of_stored_link(link) if link else None)
