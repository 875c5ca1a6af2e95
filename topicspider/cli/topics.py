"""``scrapy topics``: lists, shows and checks topics and classes, and puts topics into the store; larger actions have their own files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from topicspider.cli.command import CliCommand, action_parser, terminal_columns
from topicspider.errors import ConfigError, StoreUnavailable, TopicError, UnknownTopic, one_line
from topicspider.i18n import N_, as_typed, is_chinese, labelled, language
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.relevance.default_thresholds import link_threshold, page_threshold
from topicspider.store.topics import has_topic_store, topic_of, topic_store
from topicspider.text.normalise import normalise
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.text.terminal import fit, table, wrap
from topicspider.topic import catalogue
from topicspider.topic.catalogue import class_title
from topicspider.topic.class_topics import class_of, class_topic, level_of, search_classes, topic_name
from topicspider.topic.compiling import compile_topic
from topicspider.topic.learning import learn, terms_without_words
from topicspider.topic.loading import check_topic, known_topics, load_topic, read_file, topic_files
from topicspider.topic.profile import Topic, TopicProfile
from topicspider.topic.search_path import topic_dirs
from topicspider.topic.spelling import other_forms
from topicspider.url import masked

SYNTAX = "[list | classes [WORD|NUMBER] | show NAME | check [NAME …] | new NAME | score NAME[,NAME …] [FILE] | tune NAME | try NAME | seeds NAME | coverage NAME | store NAME … | unstore NAME …]"
ABOUT = "`scrapy topics ACTION --help` tells of each action."
STORED = "store:"
SCOPES = {"broad": N_("broad"), "specific": N_("specific")}


def actions() -> argparse.ArgumentParser:
    from topicspider.cli import topics_coverage, topics_new, topics_score, topics_seeds, topics_try, topics_tune

    where = "Topic files are looked for in TOPICSPIDER_TOPICS_DIR, and among those that come with topicspider."
    files = (topics_new, topics_score, topics_tune, topics_try, topics_seeds, topics_coverage)
    return action_parser("topics", where, (
        ("list", list_topics, "show every topic that can be crawled, those of the store last", {}),
        ("classes", show_classes, "show the classes of the catalogue (中图分类法), one with its words, or those that a word or initials (xlx: 心理学) lead to", {
            "word": {"nargs": "?", "default": "", "metavar": "WORD|NUMBER"}
        }),
        ("show", show_topic, "show one (a name, title, class number, path or store:NAME) with what is learned of it", {"name": {"metavar": "NAME"}}),
        ("check", check_topics, "print each error in topic files (all, or those named); exit code 1 when there is one", {"names": {"nargs": "*", "metavar": "NAME|FILE"}}),
        *(file.ACTION for file in files),
        ("store", store_topics, "put topic files into the store that TOPICSPIDER_STORE names, for nodes without them", {"names": {"nargs": "+", "metavar": "NAME|FILE"}}),
        ("unstore", unstore_topics, "take topics out again", {"names": {"nargs": "+", "metavar": "NAME"}}),
    ))  # fmt: skip


def run(command: CliCommand, args: list[str], _opts: argparse.Namespace) -> int:
    opts = actions().parse_args(args)
    code: int | None = opts.action(command, opts, command.options())
    return code or 0


def list_topics(_command: CliCommand, _opts: argparse.Namespace, options: Options) -> None:
    rows = [[_("name"), _("title"), _("class"), _("scope"), _("terms"), _("texts"), _("seeds")]]
    for name, file in sorted(topic_files(options.topics_dir).items()):
        topic, errors = read_file(file)
        if errors:
            rows.append([fit(name, 20), _("bad: scrapy topics check {name}", name=name)])
        else:
            what = [fit(topic.name, 20), fit(title_of(topic), 20), topic.clc or "-", _(SCOPES[topic.scope])]
            rows.append([*what, str(len(topic.terms)), str(len(topic.texts)), str(len(topic.seeds))])
    print(table(rows, right=(4, 5, 6), columns=terminal_columns()))
    print()
    for folder in topic_dirs(options.topics_dir):
        print(_("folder {folder}", folder=folder))
    print(as_typed(_("and every class of the catalogue: `scrapy topics classes`")))
    if has_topic_store(options):
        print(_("store {store}", store=masked(options.store)))
        try:
            with topic_store(options, connect_wait=0.0) as shelf:
                stored = [one_line(name) for name in shelf.names()]
        except StoreUnavailable as error:
            stored = [str(error)]
        for line in stored:
            print(fit(f"  {line}", terminal_columns()))


def title_of(topic: Topic) -> str:
    """The title in the reader's language, else in the other one (zh, en), else in any language, else the name."""
    first, second = ("zh", "en") if is_chinese() else ("en", "zh")
    return topic.title.get(first) or topic.title.get(second) or next(iter(topic.title.values()), topic.name)


def show_topic(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    print_topic(topic_of(opts.name, options), options)


def print_topic(topic: Topic, options: Options) -> None:
    columns = terminal_columns()
    profile = learn(topic, make_segmenter())
    near = compile_topic(profile).expansion
    print(table(list(_facts(profile, options)), columns=columns))
    head = _("feature words ({count}; + means learned from the texts or the title)", count=len(profile.weights))
    given = {normalise(term) for term in topic.terms}
    words = [f"{weight:.3f} {'' if word in given else '+'}{word}" for word, weight in profile.weights.items()]
    print(f"\n{head}\n{_words(words, columns)}")
    form = "{WORD: WEIGHT}"
    head = _("near words ({count}; to change: near: {form} in the file, 0 removes)", count=len(near), form=form)
    print(f"\n{fit(head, columns)}\n{_words([f'{one.weight:.2f} {word}' for word, one in near.items()], columns)}")
    for head, lines in _lists(profile):
        print("\n".join(["", head, *(fit(f"  {line}", columns) for line in lines)]))


def _facts(profile: TopicProfile, options: Options) -> Iterator[tuple[str, str]]:
    topic, scorer, policy = profile.topic, options.page_scorer, options.link_policy
    yield _("topic"), f"{topic.name}  {' / '.join(dict.fromkeys(topic.title.values()))}"
    yield _("file"), topic.source
    yield _("digest"), profile.digest
    yield _("class"), f"{topic.clc} {class_title(topic.clc, language())}" if topic.clc else "-"
    yield _("scope"), _(SCOPES[topic.scope])
    yield _("languages"), ", ".join(topic.languages)
    threshold = page_threshold(topic, scorer, None, faithful=options.faithful)
    yield _("page threshold"), _("{threshold:g} (page scorer {name})", threshold=threshold, name=scorer)
    threshold = link_threshold(topic, policy, None)
    yield _("link threshold"), _("{threshold:g} (link policy {name})", threshold=threshold, name=policy)
    count = _("{count}, {characters:,} characters", count=len(topic.texts), characters=sum(map(len, topic.texts)))
    yield _("texts"), count


def _words(cells: Sequence[str], columns: int) -> str:
    return table([["", *cells[start : start + 4]] for start in range(0, len(cells), 4)], columns=columns)


def _lists(profile: TopicProfile) -> Iterator[tuple[str, Sequence[str]]]:
    """The lists of a topic, each with its heading; empty ones are left out."""
    topic = profile.topic
    languages = (*topic.languages, *topic.title)  # to leave out the many other forms of a word
    forms = {word: other_forms(word, languages) for word in profile.weights}
    limits = {name: value for name, value in asdict(topic.limits).items() if value}
    lists: list[tuple[str, Sequence[str]]] = [
        (_("synonyms"), [f"{alias} = {word}" for alias, word in profile.synonyms.items() if alias not in forms[word]]),
        (_("negative words"), [f"{word} {weight:g}" for word, weight in profile.negative.items()]),
        (_("limits"), [f"{name} {', '.join(v) if isinstance(v, tuple) else v}" for name, v in limits.items()]),
        (_("seeds"), topic.seeds),
    ]
    yield from ((head, lines) for head, lines in lists if lines)


def check_topics(_command: CliCommand, opts: argparse.Namespace, options: Options) -> int:
    is_bad, segmenter = False, make_segmenter()
    for name in opts.names or known_topics(options.topics_dir):
        errors, idle = _checked(name, options, segmenter)
        print("\n".join(map(str, errors)) if errors else labelled(name, _("ok")))
        if idle:
            words = N_("nothing is found by these terms, stop words, single letters or signs: {terms}")
            print(labelled(name, _(words, terms=", ".join(idle))))
        is_bad = is_bad or bool(errors)
    return int(is_bad)


def _checked(name: str, options: Options, segmenter: Segmenter) -> tuple[Sequence[ConfigError], Sequence[str]]:
    """The errors of a topic, and those of its terms that nothing can be found by."""
    files = topic_files(options.topics_dir)
    try:
        if name in files:
            errors = read_file(files[name])[1]
        else:
            errors = check_topic(name) if Path(name).suffix in (".yaml", ".yml") else []
        if errors:
            return errors, ()
        topic = topic_of(name, options)
        idle = terms_without_words(topic, segmenter)
        if len(idle) == len(topic.terms):  # otherwise some terms can be used, and learning takes long
            learn(topic, segmenter)
    except (TopicError, UnknownTopic) as error:
        return [error], ()
    return [], idle


def store_topics(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    files = [load_topic(name, options.topics_dir) for name in opts.names]
    segmenter = make_segmenter()
    with topic_store(options) as shelf:
        for file in files:
            topic, is_changed = shelf.put(Path(file.source).read_bytes(), file.source, file.name)
            result = _("stored") if is_changed else _("there already")
            print(labelled(topic.name, f"{result} ({learn(file, segmenter).digest})"))


def unstore_topics(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    with topic_store(options) as shelf:
        for name in opts.names:
            if not shelf.remove(name.removeprefix(STORED)):
                there = ", ".join(shelf.names()) or "none is there"
                raise UnknownTopic("topic", name, there, "Files are not touched by this")
            print(_("{name}: taken out", name=name))


def show_classes(_command: CliCommand, opts: argparse.Namespace, _options: Options) -> None:
    columns, number = terminal_columns(), class_of(opts.word)
    if number and number.casefold() == opts.word.strip().casefold():
        lines = _card(number, columns)
    elif found := list(search_classes(opts.word) if opts.word else catalogue.classes()):
        lines = map(_line, found)
    else:
        near = catalogue.neighbour(opts.word)
        words = N_("The nearest is {number} {title}")
        hint = _(words, number=near, title=catalogue.title_of(near, language())) if near else ""
        allowed = _("a number, a part of a title, its initials, or a term")
        raise UnknownTopic("class", opts.word, allowed, hint)
    for line in lines:
        print(fit(line, columns))


def _line(number: str) -> str:
    titles = dict(class_topic(number).title)
    return f"{'  ' * (level_of(number) - 1)}{number:<8}{titles.pop(language())}  {' '.join(titles.values())}"


def _card(number: str, columns: int) -> Iterator[str]:
    """A class: its parent, the classes below it, its terms, and how to crawl it."""
    parent = catalogue.parent_of(number)
    yield from map(_line, filter(None, [parent, number]))
    yield from (_line(below) for below in catalogue.classes() if catalogue.parent_of(below) == number)
    yield ""
    yield from wrap(", ".join(class_topic(number).terms), columns)
    yield ""
    yield as_typed(_("to crawl it: scrapy crawl topic -a topic={name}", name=topic_name(number)))
