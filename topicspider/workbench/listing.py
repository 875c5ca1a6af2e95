"""``scrapy topics list``: every topic that can be crawled, one a line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, StoreUnavailable, one_line
from topicspider.store.topics import TopicShelf, has_shelf, opened_shelf
from topicspider.text.terminal import fit, table
from topicspider.topic.loading import STORED, read_file, topic_files
from topicspider.topic.search_path import topic_dirs
from topicspider.url.display import masked
from topicspider.workbench.action import Action, Desk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.topic.profile import Topic

_HEADS = {
    True: ("名称", "标题", "分类", "范围", "词", "文本", "种子"),
    False: ("name", "title", "class", "scope", "terms", "texts", "seeds"),
}
SCOPES = {"broad": "宽", "specific": "专"}
"""What the scopes are called in Chinese."""


def _run(_names: Sequence[str], _opts: argparse.Namespace, desk: Desk) -> int:
    folder = desk.options.topics_dir
    found = [(name, *read_file(file)) for name, file in sorted(topic_files(folder).items())]
    rows = [_bad_row(name, desk.chinese) if errors else _row(topic, desk.chinese) for name, topic, errors in found]
    print(table([_HEADS[desk.chinese], *rows], right=(4, 5, 6), columns=desk.columns))
    print()
    for place in topic_dirs(folder):
        print(f"{'目录' if desk.chinese else 'folder'} {place}")
    for line in _in_store({topic.name: topic for _, topic, errors in found if not errors}, desk):
        print(fit(line, desk.columns))
    return 0


def _in_store(files: Mapping[str, Topic], desk: Desk) -> Iterator[str]:
    """The topics of the store, each with what a file of its name says."""
    options = desk.options
    if not has_shelf(options):
        return
    yield f"{'存储' if desk.chinese else 'store'} {masked(options.store)}"
    try:
        with opened_shelf(options, connect_wait=0.0) as shelf:
            for name in shelf.names():
                yield f"  {fit(one_line(name), 20)}  {one_line(_against(shelf, files.get(name), name, desk.chinese))}"
    except StoreUnavailable as error:
        yield f"  {error}"


def _against(shelf: TopicShelf, file: Topic | None, name: str, chinese: bool) -> str:
    try:
        topic = shelf.find(name)
    except ConfigError as error:
        return f"{'有错误' if chinese else 'bad'}: {error}"
    title = "" if topic is None else _title(topic, chinese)
    if file is None:
        return title
    if topic is not None and replace(topic, source="") == replace(file, source=""):
        return f"{title}  {'与文件相同' if chinese else 'as in the file'}"
    crawls = f"-a topic={STORED}{name}"
    return f"{title}  {f'与文件不同；抓取它：{crawls}' if chinese else f'not as in the file; to crawl this: {crawls}'}"


def _row(topic: Topic, chinese: bool) -> tuple[str, ...]:
    scope = SCOPES[topic.scope] if chinese else topic.scope
    counts = (len(topic.terms), len(topic.texts), len(topic.seeds))
    return (fit(topic.name, 20), fit(_title(topic, chinese), 20), topic.clc or "-", scope, *map(str, counts))


def _bad_row(name: str, chinese: bool) -> tuple[str, ...]:
    return (fit(name, 20), f"有错误：scrapy topics check {name}" if chinese else f"bad: scrapy topics check {name}")


def _title(topic: Topic, chinese: bool) -> str:
    first, second = ("zh", "en") if chinese else ("en", "zh")
    return topic.title.get(first) or topic.title.get(second) or topic.name


ACTION = Action(
    "list",
    "list",
    "`list` shows every topic that can be crawled, those of the store that TOPICSPIDER_STORE names below the others.",
    lambda names: f"topics list {' '.join(names)}" if names else "",
    _run,
)
