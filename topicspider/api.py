"""For scripts and notebooks: crawls a topic, reads a page, judges a text.

What needs Scrapy runs in a separate process, because Scrapy's reactor runs only once; so each function can be called any number of times,
also while an event loop is running. All raise TopicSpiderError: its text is one line, and its ``exit_code`` is that of the command.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import Thread
from typing import IO, Any

from topicspider.cli.judge import OfflineJudge, judge_of
from topicspider.cli.pages import LocalPage, PageReader, pages_in
from topicspider.cli.read import is_url
from topicspider.errors import TopicSpiderError, UnavailableError, UnknownTopic
from topicspider.i18n import gettext as _
from topicspider.i18n import use_commands
from topicspider.items import PageItem
from topicspider.options import Options
from topicspider.relevance.interfaces import PageScore
from topicspider.setting_names import from_environment, package_environment
from topicspider.store.topics import topic_of
from topicspider.text.segment import make_segmenter
from topicspider.topic.drafting import draft, file_name, topic_text
from topicspider.topic.loading import parse_inline_topic, save_inline_topic
from topicspider.topic.profile import Topic

__all__ = ["Topic", "crawl", "judge", "read"]

Settings = Mapping[str, object]
"""TOPICSPIDER_* and Scrapy settings by name; those in the environment are used, too."""
PROGRAM = (sys.executable, "-u", "-m", "topicspider")
_SAID = "topicspider: "


def crawl(
    topic: str | Topic,
    on_hit: Callable[[PageItem], object] | None = None,
    *,
    seeds: Iterable[str] = (),
    max_pages: int = 0,
    depth: int = 0,
    fresh: bool = False,
    settings: Settings | None = None,
) -> list[PageItem]:
    """Crawl ``topic`` (a name, also one without a file; a file; a class number; or a Topic) until it is done; returns the hits of this run.

    ``on_hit`` is called with each hit as it comes; an exception in it stops the crawl, and is raised here. The same call again continues a
    stopped crawl; ``fresh`` begins anew. ``max_pages`` and ``depth``: 0 is no limit. Without ``seeds`` those of the topic are used, or some
    are searched for. Results are in the folder of TOPICSPIDER_DATA, as with the command ``crawl``; warnings go to stderr.
    """
    if isinstance(topic, Topic):
        topic = str(save_inline_topic(topic_text(topic), topic.name, _options(settings).data))
    addresses = list(seeds)
    # one a line, since URLs may contain commas; the first is repeated, so that there are two lines
    begin = "\n".join(addresses + addresses[:1])
    given = {"topic": topic, "seeds": begin, "max_pages": max_pages, "depth": depth, "fresh": int(fresh)}
    arguments = [f"-a{name}={value}" for name, value in given.items() if value]
    hits = []
    with _running_command("crawl", "topic", *arguments, "-o-:jsonlines", settings=settings) as lines:
        for line in lines:
            if not line.startswith("{"):
                sys.stderr.write(line)  # for example, that the crawl was finished before
                continue
            hits.append(PageItem(**json.loads(line)))
            if on_hit is not None:
                on_hit(hits[-1])
    return hits


def read(page: str | Path | bytes, *, url: str = "", settings: Settings | None = None) -> dict[str, Any]:
    """What a page says (title, body, published, author, data, links …) and why: the fields of ``topicspider read --json``.

    ``page``: a URL, which is fetched politely; a file (the first page, if there are several); or a page's bytes (``url``: their address).
    """
    if isinstance(page, str) and is_url(page):
        with _running_command("read", "--json", page, settings=settings) as lines:
            return dict(json.loads("".join(lines)))
    local = LocalPage("", url, page) if isinstance(page, bytes) else next(pages_in(Path(page)), LocalPage(str(page)))
    account = _reader(_options(settings)).account(local)
    if account["error"]:
        raise UnavailableError(local.file or url or "page", f"could not be read: {account['error']}")
    return account


def judge(topic: str | Topic, text: str, title: str = "", *, settings: Settings | None = None) -> PageScore:
    """How well ``text`` fits ``topic``, as before a crawl's first page: ``value`` in [0, 1], ``on_topic``, ``threshold``, ``parts``."""
    options = _options(settings)
    judging = _judge(topic_text(topic if isinstance(topic, Topic) else _topic_of(topic, options)), options)
    return judging.judge(judging.words(title, text))


def _options(settings: Settings | None) -> Options:
    use_commands(are_scrapys=False)  # advice to type `scrapy …` is of no use without a project
    return Options.read({**from_environment(os.environ), **(settings or {})})


def _topic_of(name: str, options: Options) -> Topic:
    try:
        return topic_of(name, options)
    except UnknownTopic as unknown:
        if not unknown.title:
            raise
        _say_unknown(unknown.title)
        return draft(file_name(unknown.title), unknown.title, {})


@cache
def _say_unknown(name: str) -> None:
    """Warn once for each name: it may be mistyped."""
    print(_("{name}: no topic is called so; judged by the name alone", name=name), file=sys.stderr)


@lru_cache(maxsize=8)
def _judge(text: str, options: Options) -> OfflineJudge:
    return judge_of(parse_inline_topic(text.encode(), "topic", ""), options)


@lru_cache(maxsize=1)
def _reader(options: Options) -> PageReader:
    return PageReader(options, make_segmenter())


@contextmanager
def _running_command(*arguments: str, settings: Settings | None) -> Iterator[Iterator[str]]:
    """Run a command and yield its stdout line by line. If the block ends early, the command is stopped; its error line is raised."""
    given = {"LOG_LEVEL": "WARNING", **(settings or {})}
    command = [*PROGRAM, *arguments, *(part for name, value in given.items() for part in ("-s", f"{name}={value}"))]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    more: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "env": package_environment()}
    complaints: list[str] = []
    # in a session of its own: Ctrl-C reaches only this process, which passes it on
    with subprocess.Popen(command, **pipes, **more, start_new_session=True) as process:  # noqa: S603
        assert process.stdout is not None
        listener = Thread(target=_relay_stderr, args=(process.stderr, complaints))
        listener.start()
        try:
            yield process.stdout
        except BaseException:
            process.send_signal(signal.SIGINT)  # pages in work go back to the queue
            raise
        finally:
            for _line in process.stdout:  # else it would block when the pipe is full
                pass
            listener.join()
    if process.returncode:
        error = TopicSpiderError(
            complaints[-1] if complaints else f"{arguments[0]} ended with exit code {process.returncode}"
        )
        error.exit_code = process.returncode
        raise error


def _relay_stderr(stream: IO[str], complaints: list[str]) -> None:
    """Pass the command's stderr on, but collect its error lines, which are raised instead."""
    for line in stream:
        if line.startswith(_SAID):
            complaints.append(line.removeprefix(_SAID).strip())
        else:
            sys.stderr.write(line)
