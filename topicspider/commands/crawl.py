"""``scrapy crawl``: checks topic, settings, store, frontier and seeds first; its exit code tells how the crawl ended."""

from __future__ import annotations

import logging
import shutil
import sys
from contextlib import closing, contextmanager, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING

from scrapy.commands import crawl

from topicspider import json_log
from topicspider.cli.command import (
    INTERRUPTED,
    PlainCommand,
    add_topic_option,
    begin_log,
    on_terminal,
    one_line_errors,
    terminal_columns,
)
from topicspider.errors import ConfigError, NoSeedReachable, UnknownTopic, did_you_mean
from topicspider.frontier.heartbeat import DRAINED
from topicspider.i18n import as_typed
from topicspider.i18n import gettext as _
from topicspider.options import OWN_SPIDER, Options
from topicspider.steering.stop_rule import LOW_YIELD

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scrapy import Spider
    from scrapy.settings import BaseSettings

    from topicspider.crawl_components import CrawlComponents
    from topicspider.crawl_config import CrawlConfig
    from topicspider.spiders.topic import TopicSpider

EXIT_CODES = {"finished": 0, "max_pages": 0, LOW_YIELD: 0, DRAINED: 0, "shutdown": INTERRUPTED}
# Scrapy's own limits: whoever sets one wants no error when it is reached
EXIT_CODES |= {f"closespider_{limit}": 0 for limit in ("timeout", "timeout_no_item", "pagecount", "itemcount")}


class Command(PlainCommand, crawl.Command):
    """The built-in command for every spider; for ``topic`` with the checks before and the exit code after."""

    _config_read: tuple[CrawlConfig, BaseSettings] | None = None
    _made: Sequence[Path] = ()
    """Topic files that were made for this crawl."""

    def short_desc(self) -> str:
        return _("Crawl the web for a topic: scrapy crawl topic -a topic=NAME")

    def long_desc(self) -> str:
        return (
            "Run a spider. The spider `topic` takes --topic NAME[,NAME] or -a topic=NAME (see `scrapy topics list`), -a seeds=URL,URL or -a seeds=@FILE, "
            "-a max_pages=N, -a depth=N, -a pace=auto|thrifty|balanced|fast, -a balance=best|even and -a per_class=N (of several topics), -a mode=thesis2011|li2002|cao|broder|xu2007 (crawl as that paper did), -a fresh=1 (start anew), -a accept_loss=1 (go on with what a damaged store still has). Stop it with Ctrl-C; the same command goes on. "
            "Exit code: 0 done, 1 failed, 2 bad argument, setting or topic, 3 something did not answer, 4 already running, 130 interrupted."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add_topic_option(parser)
        parser.add_argument("--background", action="store_true", help="go on when the terminal is closed; see `scrapy crawls`")  # fmt: skip

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Checks the values before Scrapy begins to log, so that an error is the only output."""
        super().process_options(args, opts)
        _SCRAPYS_LOG.addFilter(_hold)
        if opts.topic:
            opts.spargs.setdefault("topic", opts.topic)
        begin_log(self.settings)
        if args == [OWN_SPIDER]:
            from topicspider.spiders.arguments import refuse_unknown

            with self.ending():
                refuse_unknown(opts.spargs)
                self._config_read = self._read_config(opts.spargs)
                self._say_what_begins(self._config_read[0])

    def check_arguments(self, args: Sequence[str]) -> None:
        super().check_arguments(args)
        if not args:
            raise ConfigError("spider", None, "its name, as in `scrapy crawl topic -a topic=tourism`")
        if len(args) > 1:
            raise ConfigError("crawl", args[1], "one spider, then options", self.meant(args[1]))

    def meant(self, option: str) -> str:
        """A hint: --max-pages and max_pages, mistyped or not, should be -a max_pages=…."""
        from topicspider.spiders.arguments import ARGUMENTS

        near = get_close_matches(option.strip("-").partition("=")[0].replace("-", "_"), ARGUMENTS, 1)
        return _("Did you mean {near}?", near=f"-a {near[0]}=…") if near else super().meant(option)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.spiders.topic import TopicSpider

        with one_line_errors(self):
            spider_class = self._spider_class(args[0])
            if not issubclass(spider_class, TopicSpider):
                _release_versions()
                super().run(args, opts)
                return
            if opts.background:
                from topicspider.cli.crawls import begin_in_background

                config, _settings = self._config_read or self._read_config(opts.spargs)
                words = ["crawl", *sys.argv[1:]]  # Scrapy has removed the command's name
                self.exitcode = begin_in_background(config.options.topic, config.folder, words)
                return
            with self._unmaking():
                components = self._opened(opts.spargs)
            self._show_made()
            if components is not None:
                components.typed = _typed(opts)
                self._crawl(spider_class, components, opts.spargs)

    def _spider_class(self, name: str) -> type[Spider]:
        loader = self.crawler_process.spider_loader
        if name not in loader.list():
            own = did_you_mean(name, loader.list()) or _("For a topic: `scrapy crawl topic -a topic={name}`", name=name)
            hint = own if OWN_SPIDER in loader.list() else ""
            raise ConfigError("spider", name, ", ".join(sorted(loader.list())), hint)
        return loader.load(name)

    def _read_config(self, arguments: dict[str, str]) -> tuple[CrawlConfig, BaseSettings]:
        """The configuration, checked as far as possible without opening anything."""
        from topicspider.addon import TopicSpiderAddon
        from topicspider.cli.preflight import check_values
        from topicspider.cli.topics_new import make_missing
        from topicspider.crawl_config import CrawlConfig
        from topicspider.spiders.arguments import with_arguments

        settings = with_arguments(self.settings, arguments)
        try:
            config = CrawlConfig.read(settings)
        except UnknownTopic:
            options = Options.read(settings)
            self._made = make_missing(options.topic, options)
            with self._unmaking():
                config = CrawlConfig.read(settings)
        with self._unmaking():
            TopicSpiderAddon().update_settings(settings)
            check_values(settings, config)
        return config, settings

    def _say_what_begins(self, config: CrawlConfig) -> None:
        """Says what is opened next, which takes a second or two; only on a terminal, where the log is silent."""
        from topicspider.cli.starting_points import opening_line
        from topicspider.text.terminal import draws_live

        if draws_live(config.options.live) and not json_log.is_wanted(self.settings):
            print(on_terminal(opening_line(config), sys.stderr), file=sys.stderr, flush=True)

    def _show_made(self) -> None:
        """Prints, for each file made from a bare name: its path, its near words (they may be of another field), and classes like it."""
        from topicspider.text.terminal import fit
        from topicspider.topic.loading import classes_about, load_topic

        for path in self._made:
            topic = load_topic(str(path))
            near = _("near words: {words}", words=" ".join(topic.near) or _("none; terms in the file help"))
            print(_("written: {path}", path=path), fit(near, terminal_columns()), sep="\n", file=sys.stderr)
            if classes := classes_about(next(iter(topic.title.values()))):
                print(_("The catalogue has it in {classes}.", classes=", ".join(classes)), file=sys.stderr)

    @contextmanager
    def _unmaking(self) -> Iterator[None]:
        """Deletes the topic files that were made for this crawl if it does not begin."""
        try:
            yield
        except BaseException:
            for path in self._made:
                path.unlink(missing_ok=True)
                with suppress(OSError):  # the folder has other files
                    path.parent.rmdir()
            raise

    def _opened(self, arguments: dict[str, str]) -> CrawlComponents | None:
        """The opened crawl; None, after a message, if nothing is left to do."""
        from topicspider.cli import preflight
        from topicspider.cli.starting_points import with_starting_points
        from topicspider.crawl_components import CrawlComponents
        from topicspider.redis_seeds import SeedList

        config, settings = self._config_read or self._read_config(arguments)
        config = with_starting_points(config, settings)
        is_new, was_there = config.options.fresh or bool(self._made), config.folder.exists()
        if is_new and config.seeds:
            # before a folder is created, or the old queue is deleted
            preflight.check_reachable(config.seeds, config.options)
        components = CrawlComponents(config)
        try:
            preflight.check_nothing_lost(components)
            counts = components.frontier.counts()
            if not (counts.pages or counts.queued or counts.leased):
                components.frontier.clear()  # all seeds were tried and gave no page: let them be tried again
            if config.redis_key is not None:
                with closing(SeedList(settings, config.redis_key)) as seeds:
                    seeds.move(components.frontier, config.options.connect_wait)
            if words := preflight.finished_words(components):
                if preflight.has_feed_to_write(settings):
                    print(on_terminal(as_typed(words), sys.stderr), file=sys.stderr)  # stdout may be a feed
                    return components  # the feed is written from the hits in the store
                print(on_terminal(as_typed(words), sys.stdout))
                components.close()
                if trouble := components.left_undone():
                    raise trouble
                return None
            if not (is_new and config.seeds):
                preflight.check_start(components)
        except BaseException as error:
            components.close()
            if isinstance(error, NoSeedReachable) and not was_there:
                shutil.rmtree(config.folder, ignore_errors=True)  # all that is in it was made just now
            raise
        return components

    def _crawl(self, spider_class: type[TopicSpider], components: CrawlComponents, arguments: dict[str, str]) -> None:
        from topicspider.cli.preflight import lost_meanwhile, nothing_came
        from topicspider.extensions.live import LiveProgress
        from topicspider.shutdown import was_stopped

        _release_versions()
        crawler = self._create_crawler(spider_class)
        reason = self.crawl(crawler, components, arguments)
        # Ctrl-C came twice, or before the crawl had begun: pages in work stay leased, and the next run fetches them
        if reason is None and was_stopped(self.crawler_process):
            if live := crawler.get_extension(LiveProgress):
                live.wipe()
            raise KeyboardInterrupt
        if (trouble := components.left_undone() or lost_meanwhile(components)) and reason != "shutdown":
            raise trouble
        if reason == "no_seed_reachable":
            raise nothing_came(components)
        self.exitcode = EXIT_CODES.get(reason, 1)


_SCRAPYS_LOG = logging.getLogger("scrapy.utils.log")
_HELD: list[logging.LogRecord] = []


def _hold(record: logging.LogRecord) -> bool:
    """A log filter that holds back what Scrapy logs of its versions until the crawl begins; if it does not, only its error is printed."""
    _HELD.append(record)
    return False


def _release_versions() -> None:
    _SCRAPYS_LOG.removeFilter(_hold)
    for record in _HELD:
        _SCRAPYS_LOG.handle(record)


def _typed(opts: argparse.Namespace) -> list[tuple[str, str]]:
    """The options of this run as typed, as pairs of option and value."""
    arguments = [f"{name}={value}" for name, value in opts.spargs.items()]
    given = {"-a": arguments, "-o": opts.output, "-O": opts.overwrite_output, "-s": opts.set}
    return [(option, value) for option, values in given.items() for value in values or ()]
