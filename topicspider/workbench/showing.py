"""``scrapy topics show``: one topic, with everything that is learned from it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from topicspider.relevance.thresholds import link_threshold, page_threshold
from topicspider.store.topics import topic_of
from topicspider.text.normalise import normalise
from topicspider.text.terminal import fit, pad, table, width
from topicspider.topic.catalogue import class_title
from topicspider.workbench.action import Action, Desk
from topicspider.workbench.listing import SCOPES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.defaults import Options
    from topicspider.topic.profile import NearWord, Topic, TopicProfile

WORDS_A_LINE = 4
NEAR_INDENT = 16


def show(topic: Topic, desk: Desk) -> None:
    """Print what is known of ``topic``."""
    from topicspider.text.segment import make_segmenter
    from topicspider.topic.compiling import compile_topic
    from topicspider.topic.learning import learn

    profile = learn(topic, make_segmenter(desk.options.segmenter))
    print(table(list(_facts(profile, desk.options, desk.chinese)), columns=desk.columns))
    print(f"\n{_words_head(profile, desk.chinese)}\n{_words(profile, desk.columns)}")
    near = compile_topic(profile, desk.options.tier).expansion
    print("\n" + fit(_near_head(near, desk.chinese), desk.columns))
    if near:
        print(_near(near, desk.columns))
    for head, lines in _lists(profile, desk.chinese):
        print(f"\n{head}")
        print("\n".join(fit(f"  {line}", desk.columns) for line in lines))


def _run(names: Sequence[str], _opts: argparse.Namespace, desk: Desk) -> int:
    show(topic_of(names[0], desk.options), desk)
    return 0


def _facts(profile: TopicProfile, options: Options, chinese: bool) -> Iterator[tuple[str, str]]:
    topic = profile.topic
    scope = f"{topic.scope}（{SCOPES[topic.scope]}）" if chinese else topic.scope
    page, link = page_threshold(topic, options.page_scorer, None), link_threshold(topic, options.link_policy, None)
    by_topic = ("主题文件" if chinese else "topic file", "默认" if chinese else "default")
    yield "主题" if chinese else "topic", f"{topic.name}  {' / '.join(dict.fromkeys(topic.title.values()))}"
    yield "文件" if chinese else "file", topic.source
    yield "摘要" if chinese else "digest", profile.digest
    yield "分类" if chinese else "class", f"{topic.clc} {class_title(topic.clc)}" if topic.clc else "-"
    yield "范围" if chinese else "scope", scope
    yield "语言" if chinese else "languages", ", ".join(topic.languages)
    yield (
        "页面阈值" if chinese else "page threshold",
        f"{page:g} ({options.page_scorer}, {by_topic[topic.page_threshold is None and options.page_scorer not in topic.page_thresholds]})",
    )
    yield (
        "链接阈值" if chinese else "link threshold",
        f"{link:g} ({options.link_policy}, {by_topic[topic.link_threshold is None and options.link_policy not in topic.link_thresholds]})",
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


def _words(profile: TopicProfile, columns: int) -> str:
    given = {normalise(term) for term in profile.topic.terms}
    cells = [f"{weight:.3f} {'' if word in given else '+'}{word}" for word, weight in profile.weights.items()]
    lines = [cells[start : start + WORDS_A_LINE] for start in range(0, len(cells), WORDS_A_LINE)]
    return table([["", *line] for line in lines], columns=columns)


def _near_head(near: Mapping[str, NearWord], chinese: bool) -> str:
    if chinese:
        return f"邻近词（{len(near)} 个；在主题文件里写 near: {{词: 权重}} 来改，0 表示去掉）"
    return f"near words ({len(near)}; to change: near: {{WORD: WEIGHT}} in the file, 0 removes)"


def _near(near: Mapping[str, NearWord], columns: int) -> str:
    """The words by the feature word that each is nearest to."""
    groups: dict[str, list[str]] = {}
    for word, one in near.items():
        groups.setdefault(one.of, []).append(f"{one.weight:.2f} {word}")
    lines = []
    for feature, cells in groups.items():
        first, *more = _filled(cells, columns - NEAR_INDENT)
        lines.append(pad(f"  {fit(feature or 'near:', NEAR_INDENT - 4)}", NEAR_INDENT) + first)
        lines += [" " * NEAR_INDENT + line for line in more]
    return "\n".join(lines)


def _filled(cells: Sequence[str], columns: int) -> list[str]:
    """``cells`` in lines of at most ``columns`` columns, none parted."""
    lines: list[str] = []
    for cell in cells:
        longer = f"{lines[-1]}  {cell}" if lines else ""
        if lines and width(longer) <= columns:
            lines[-1] = longer
        else:
            lines.append(fit(cell, columns))
    return lines


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


ACTION = Action(
    "show",
    "show NAME",
    "`show NAME` shows one, with the feature words that are learned from its terms and texts, and the words near them (NAME is a name, a title, a class number such as "
    "F59, a path to a YAML file, or store:NAME).",
    lambda names: "" if len(names) == 1 else "show takes one topic",
    _run,
)
