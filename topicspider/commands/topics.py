"""``scrapy topics``: list the topics, show one with what is learned from it, check topic files."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from topicspider.commandline import one_line_errors
from topicspider.defaults import Options
from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.relevance.thresholds import link_threshold, page_threshold
from topicspider.text.columns import fit, table
from topicspider.text.normalise import normalise
from topicspider.text.segment import make_segmenter
from topicspider.text.wording import speaks_chinese
from topicspider.topic.catalogue import class_title
from topicspider.topic.learning import learn
from topicspider.topic.loading import check_topic, load_topic, read_file, topic_files
from topicspider.topic.places import topic_dirs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from topicspider.topic.profile import Topic, TopicProfile

WORDS_A_LINE = 4
WIDEST = 120
_HEADS = {
    True: ("名称", "标题", "分类", "范围", "词", "文本", "种子"),
    False: ("name", "title", "class", "scope", "terms", "texts", "seeds"),
}
_SCOPES = {"broad": "宽", "specific": "专"}


class Command(ScrapyCommand):
    """Reads topic files; changes nothing."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012

    def syntax(self) -> str:
        return "list | show NAME | check [NAME|FILE ...]"

    def short_desc(self) -> str:
        return "List the topics, show what is known of one, or check topic files"

    def long_desc(self) -> str:
        return (
            "`list` shows every topic that can be crawled. `show NAME` shows one, with the feature words that are learned from its terms "
            "and texts (NAME is a name, a title, a class number such as F59, or a path to a YAML file). `check` reads topic files (all, or "
            "those named), prints one line for each and every error with its file and line; exit code 1 when one is bad. "
            "Topic files are looked for in TOPICSPIDER_TOPICS_DIR, in $TOPICS_DIR, and among those that come with topicspider."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        action, *names = args or ["list"]
        is_right = {"list": not names, "show": len(names) == 1, "check": True}.get(action)
        if not is_right:
            wanted = "show takes one topic" if action == "show" else f"topics {action} {' '.join(names)}".rstrip()
            raise UsageError(f"{wanted}: say `scrapy topics {self.syntax()}`")
        assert self.settings is not None
        with one_line_errors(self):
            options = Options.read(self.settings)
            if action == "list":
                self._list(options)
            elif action == "show":
                self._show(names[0], options)
            else:
                self._check(names, options)

    def _list(self, options: Options) -> None:
        chinese = speaks_chinese(options.language)
        found = [(name, *read_file(file)) for name, file in sorted(topic_files(options.topics_dir).items())]
        rows = [_bad_row(name, chinese) if errors else _row(topic, chinese) for name, topic, errors in found]
        print(table([_HEADS[chinese], *rows], right=(4, 5, 6), columns=_columns()))
        print()
        for folder in topic_dirs(options.topics_dir):
            print(f"{'目录' if chinese else 'folder'} {folder}")

    def _show(self, name: str, options: Options) -> None:
        topic = load_topic(name, options.topics_dir)
        chinese = speaks_chinese(options.language)
        profile = learn(topic, make_segmenter(options.segmenter))
        print(table(list(_facts(topic, options, chinese)), columns=_columns()))
        print(f"\n{_words_head(profile, chinese)}\n{_words(profile)}")
        for head, lines in _lists(profile, chinese):
            print(f"\n{head}")
            print("\n".join(fit(f"  {line}", _columns()) for line in lines))

    def _check(self, names: list[str], options: Options) -> None:
        for shown, errors in _checked(names, options):
            for error in errors:
                print(error)
            if errors:
                self.exitcode = 1
            else:
                print(f"{shown}: ok")


def _columns() -> int:
    return min(WIDEST, shutil.get_terminal_size((80, 24)).columns)


def _row(topic: Topic, chinese: bool) -> tuple[str, ...]:
    scope = _SCOPES[topic.scope] if chinese else topic.scope
    counts = (len(topic.terms), len(topic.texts), len(topic.seeds))
    return (fit(topic.name, 20), fit(_title(topic, chinese), 20), topic.clc or "-", scope, *map(str, counts))


def _bad_row(name: str, chinese: bool) -> tuple[str, ...]:
    return (fit(name, 20), f"有错误：scrapy topics check {name}" if chinese else f"bad: scrapy topics check {name}")


def _title(topic: Topic, chinese: bool) -> str:
    first, second = ("zh", "en") if chinese else ("en", "zh")
    return topic.title.get(first) or topic.title.get(second) or topic.name


def _checked(names: list[str], options: Options) -> Iterator[tuple[str, Sequence[ConfigError]]]:
    """What to call each file, with its errors: those named, else all."""
    files = topic_files(options.topics_dir)
    for name in names or sorted(files):
        try:
            if name in files:
                yield name, read_file(files[name])[1]
            elif Path(name).suffix in (".yaml", ".yml"):
                yield name, check_topic(name)
            else:
                yield load_topic(name, options.topics_dir).name, ()
        except (TopicError, UnknownTopic) as error:
            yield name, [error]


def _facts(topic: Topic, options: Options, chinese: bool) -> Iterator[tuple[str, str]]:
    scope = f"{topic.scope}（{_SCOPES[topic.scope]}）" if chinese else topic.scope
    page, link = page_threshold(topic, options.page_scorer, None), link_threshold(topic, options.link_policy, None)
    by_topic = ("主题文件" if chinese else "topic file", "默认" if chinese else "default")
    yield "主题" if chinese else "topic", f"{topic.name}  {' / '.join(dict.fromkeys(topic.title.values()))}"
    yield "文件" if chinese else "file", topic.source
    yield "分类" if chinese else "class", f"{topic.clc} {class_title(topic.clc)}" if topic.clc else "-"
    yield "范围" if chinese else "scope", scope
    yield "语言" if chinese else "languages", ", ".join(topic.languages)
    yield (
        "页面阈值" if chinese else "page threshold",
        f"{page:g} ({options.page_scorer}, {by_topic[topic.page_threshold is None]})",
    )
    yield (
        "链接阈值" if chinese else "link threshold",
        f"{link:g} ({options.link_policy}, {by_topic[topic.link_threshold is None]})",
    )
    yield (
        "文本" if chinese else "texts",
        f"{len(topic.texts)}, {sum(map(len, topic.texts)):,} {'字' if chinese else 'characters'}",
    )


def _words_head(profile: TopicProfile, chinese: bool) -> str:
    count = len(profile.weights)
    return (
        f"特征词（{count} 个，+ 表示从文本学到）"
        if chinese
        else f"feature words ({count}; + means learned from the texts or the title)"
    )


def _words(profile: TopicProfile) -> str:
    given = {normalise(term) for term in profile.topic.terms}
    cells = [f"{weight:.3f} {'' if word in given else '+'}{word}" for word, weight in profile.weights.items()]
    lines = [cells[start : start + WORDS_A_LINE] for start in range(0, len(cells), WORDS_A_LINE)]
    return table([["", *line] for line in lines], columns=_columns())


def _lists(profile: TopicProfile, chinese: bool) -> Iterator[tuple[str, list[str]]]:
    by_word: dict[str, list[str]] = {}
    for alias, word in profile.synonyms.items():
        by_word.setdefault(word, []).append(alias)
    lists = [
        ("同义词", "synonyms", [f"{word} = {', '.join(aliases)}" for word, aliases in by_word.items()]),
        ("负面词", "negative words", [f"{word} {weight:g}" for word, weight in profile.negative.items()]),
        ("限制", "limits", [f"{key} {_shown(value)}" for key, value in asdict(profile.topic.limits).items() if value]),
        ("站点", "sites", list(profile.topic.sites)),
        ("种子", "seeds", list(profile.topic.seeds)),
        ("示例网址", "example URLs", list(profile.topic.urls)),
    ]
    yield from ((zh if chinese else en, lines) for zh, en, lines in lists if lines)


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
