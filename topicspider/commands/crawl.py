"""``scrapy crawl``: checks topic, settings, store, frontier and seeds first, and ends with an honest exit code."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

from scrapy.commands import crawl
from scrapy.exceptions import UsageError

from topicspider.cli.command import INTERRUPTED, add_topic_option, as_typed, begin_log, one_line_errors
from topicspider.errors import ConfigError, UnknownTopic
from topicspider.frontier.heartbeat import DRAINED
from topicspider.options import OWN_SPIDER, Options
from topicspider.steering.stop_rule import LOW_YIELD

if TYPE_CHECKING:
    import argparse

    from scrapy import Spider
    from scrapy.settings import BaseSettings

    from topicspider.crawl_components import CrawlComponents
    from topicspider.crawl_config import CrawlConfig
    from topicspider.spiders.topic import TopicSpider

EXIT_CODES = {"finished": 0, "max_pages": 0, LOW_YIELD: 0, DRAINED: 0, "shutdown": INTERRUPTED}
# of Scrapy: whoever set one wants no error when it is reached
OWN_LIMITS = ("timeout", "timeout_no_item", "pagecount", "itemcount")
EXIT_CODES |= {f"closespider_{limit}": 0 for limit in OWN_LIMITS}


class Command(crawl.Command):
    """The built-in command for every spider; for ``topic`` with the checks before and the exit code after."""

    _config_read: tuple[CrawlConfig, BaseSettings] | None = None

    def short_desc(self) -> str:
        return "Crawl the web for a topic: scrapy crawl topic -a topic=NAME"

    def long_desc(self) -> str:
        return (
            "Run a spider. The spider `topic` takes --topic NAME[,NAME] or -a topic=NAME (see `scrapy topics list`), -a seeds=URL,URL or -a seeds=@FILE, "
            "-a max_pages=N, -a depth=N, -a pace=thrifty|balanced|fast, -a fresh=1 (start anew), -a accept_loss=1 (go on with what a damaged store still has). Stop it with Ctrl-C; the same command goes on. "
            "Exit code: 0 done, 1 failed, 2 bad argument, setting or topic, 3 something did not answer, 4 already running, 130 interrupted."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.usage = as_typed(parser.usage or "") or None
        add_topic_option(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Values are checked here, before Scrapy begins to log: what is wrong with them is all that is printed."""
        super().process_options(args, opts)
        if opts.topic:
            opts.spargs.setdefault("topic", opts.topic)
        assert self.settings is not None
        begin_log(self.settings)
        if args == [OWN_SPIDER]:
            from topicspider.spiders.arguments import refuse_unknown

            with one_line_errors(self):
                refuse_unknown(opts.spargs)
                self._config_read = self._read_config(opts.spargs)
            if self.exitcode:
                sys.exit(self.exitcode)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check, crawl, report."""
        from topicspider.spiders.topic import TopicSpider

        if len(args) != 1:
            raise UsageError
        with one_line_errors(self):
            spider_class = self._spider_class(args[0])
            if not issubclass(spider_class, TopicSpider):
                super().run(args, opts)
                return
            components = self._checked(opts.spargs)
            if components is not None:
                self._crawl(spider_class, components, opts.spargs)

    def _spider_class(self, name: str) -> type[Spider]:
        assert self.crawler_process is not None
        loader = self.crawler_process.spider_loader
        if name not in loader.list():
            hint = f"For a topic: scrapy crawl {OWN_SPIDER} -a topic={name}" if OWN_SPIDER in loader.list() else ""
            raise ConfigError("spider", name, ", ".join(sorted(loader.list())), hint)
        return loader.load(name)

    def _read_config(self, arguments: dict[str, str]) -> tuple[CrawlConfig, BaseSettings]:
        """What was asked for, checked as far as that goes without opening anything."""
        from topicspider.addon import TopicSpiderAddon
        from topicspider.cli.preflight import check_values
        from topicspider.cli.topics_new import make_missing
        from topicspider.crawl_config import CrawlConfig
        from topicspider.spiders.arguments import with_arguments

        assert self.settings is not None
        settings = with_arguments(self.settings, arguments)
        try:
            config = CrawlConfig.read(settings)
        except UnknownTopic:
            options = Options.read(settings)
            make_missing(options.topic, options)
            config = CrawlConfig.read(settings)
        TopicSpiderAddon().update_settings(settings)
        check_values(settings, config)
        return config, settings

    def _checked(self, arguments: dict[str, str]) -> CrawlComponents | None:
        """The opened crawl, or None when it has nothing left to do (which is said)."""
        from topicspider.cli import preflight
        from topicspider.cli.starting_points import with_starting_points
        from topicspider.crawl_components import CrawlComponents
        from topicspider.redis_seeds import SeedList

        config, settings = self._config_read or self._read_config(arguments)
        config = with_starting_points(config, settings)
        if config.options.fresh and config.seeds:
            preflight.check_reachable(config.seeds, config.options)  # before the old queue is forgotten
        components = CrawlComponents(config)
        try:
            preflight.check_nothing_lost(components)
            preflight.start_over_if_nothing_came(components)
            if config.redis_key is not None:
                with closing(SeedList(settings, config.redis_key)) as seeds:
                    seeds.move(components.frontier, config.options.connect_wait)
            words = preflight.finished_words(components)
            if words and preflight.has_feed_to_write(settings):
                return components  # of the hits that the store has
            if words:
                print(as_typed(words))
                components.close()
                if trouble := components.left_undone():
                    raise trouble
                return None
            preflight.check_reachable(preflight.first_urls(components), config.options)
        except BaseException:
            components.close()
            raise
        return components

    def _crawl(self, spider_class: type[TopicSpider], components: CrawlComponents, arguments: dict[str, str]) -> None:
        from topicspider.cli.preflight import nothing_came

        assert self.crawler_process is not None
        crawler = self._create_crawler(spider_class)
        components.adopt(crawler)
        self.crawler_process.crawl(crawler, **arguments)
        self.crawler_process.start()
        reason: Any = None if self.crawler_process.bootstrap_failed else crawler.stats.get_value("finish_reason")
        if (trouble := components.left_undone()) and reason != "shutdown":
            raise trouble
        if reason == "no_seed_reachable":
            raise nothing_came(components)
        self.exitcode = EXIT_CODES.get(reason, 1)
