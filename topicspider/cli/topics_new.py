"""``scrapy topics new``: makes a topic file from a name, and from example pages and texts if there are some."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from topicspider.cli.command import Action, CliCommand, terminal_columns
from topicspider.cli.topics import print_topic
from topicspider.errors import ConfigError, UnavailableError, UnknownTopic
from topicspider.i18n import as_typed, shell_word
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.store.topics import topics_of
from topicspider.text.language import latin_language_of
from topicspider.text.segment import make_segmenter
from topicspider.text.terminal import wrap
from topicspider.topic.compiling import compile_topic
from topicspider.topic.drafting import draft, file_name, topic_yaml
from topicspider.topic.learning import learn, learn_terms
from topicspider.topic.loading import known_topics, load_topic
from topicspider.topic.profile import NearWord
from topicspider.topic.search_path import writing_dir
from topicspider.url import canonicalize

NearWords = Mapping[str, NearWord]
MOST_PAGES = 500
"""The number of texts that a topic file may hold; of more pages, only the first ones are read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text to learn from, or ``trouble`` with it; ``site`` is where it was fetched, "" for a local text."""

    name: str
    text: str = ""
    trouble: str = ""
    site: str = ""


def new_topic(command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    from topicspider.cli.pages import require_pages

    path = _free_path(file_name(opts.name), options, is_forced=opts.force)
    urls = _urls(opts.from_urls)
    for folder in opts.from_pages:
        require_pages(Path(folder))
    taken: list[Source] = []
    left_out: list[Source] = []
    for source in islice(_sources(urls, command, opts, options), MOST_PAGES):
        (left_out if source.trouble else taken).append(source)
    for source in left_out:
        print(_("left out: {source}: {reason}", source=source.name, reason=source.trouble), file=sys.stderr)
    if not taken and (urls or opts.from_pages or opts.from_text):
        raise _nothing_to_learn_from(left_out[0] if left_out else Source("the sources", trouble="nothing is there"))
    is_asked = not opts.yes and sys.stdin is not None and sys.stdin.isatty()
    _write(path, _content(path.stem, opts.name, taken, _confirmed if is_asked else dict))
    print_topic(load_topic(str(path)), options)
    name = shell_word(path.stem if path.stem in known_topics(options.topics_dir) else str(path))
    print("\n" + _("written: {path}", path=path))
    print(as_typed(_("after a change: scrapy topics check {name}", name=name)))
    print(as_typed(_("to begin: scrapy crawl topic -a topic={name}", name=name)))


def _free_path(slug: str, options: Options, *, is_forced: bool) -> Path:
    path = writing_dir(options.topics_dir) / f"{slug}.yaml"
    if path.exists() and not is_forced:
        hint = "With --force it is written anew."
        raise ConfigError("topic", slug, _("a name without a file; {path} is there", path=path), hint)
    return path


def _urls(texts: Sequence[str]) -> list[str]:
    """Canonical URLs, each once, at most MOST_PAGES; raises ConfigError for a text that is no URL."""
    urls: dict[str, None] = {}
    for text in texts:
        if (url := canonicalize(text)) is None:
            raise ConfigError("--from-urls", text, "an http:// or https:// URL")
        urls[url] = None
    return list(urls)[:MOST_PAGES]


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise ConfigError("file", file, _("a text that can be read ({why})", why=why)) from None


def _sources(urls: list[str], command: CliCommand, opts: argparse.Namespace, options: Options) -> Iterator[Source]:
    from topicspider.cli.pages import PageReader, pages_in

    for file in opts.from_text:
        yield _source(file, sys.stdin.read() if file == "-" else _read(file))
    reader = PageReader(options, make_segmenter())
    at_rest = chain.from_iterable(pages_in(Path(folder)) for folder in opts.from_pages)
    for local in chain(at_rest, command.fetch(urls) if urls else []):
        page, trouble = reader.page(local)
        text = f"{page.title}\n{page.body}" if page is not None and page.body else ""
        site = "" if local.file else "{0.scheme}://{0.netloc}/".format(urlsplit(local.url))
        yield _source(local.url or local.file, text, trouble, site)


def _source(name: str, text: str, trouble: str = "", site: str = "") -> Source:
    """A text of fewer than 20 characters counts as no text."""
    return Source(name, text, trouble or ("" if len(text.strip()) >= 20 else "it has no text"), site)


def _nothing_to_learn_from(source: Source) -> ConfigError | UnavailableError:
    if source.site:
        arguments = f"tourism -a seeds={shell_word(source.name)}"
        hint = _("`scrapy doctor -a topic={topic}` shows each step", topic=arguments)
        return UnavailableError(source.name, _("could not be read: {trouble}", trouble=source.trouble), hint)
    allowed = _("at least one text or page to learn from: {trouble}", trouble=source.trouble)
    return ConfigError("text", source.name, allowed)


def _content(
    slug: str, name: str, sources: Sequence[Source], confirmed: Callable[[NearWords], NearWords] = dict
) -> str:
    """The content of the topic file: the learned terms, and the near words as ``confirmed`` returns them."""
    texts = [source.text for source in sources]
    learned = learn_terms(texts, make_segmenter()) if texts else {}
    sites = tuple(dict.fromkeys(source.site for source in sources if source.site))
    topic = draft(slug, name, learned, sites, latin_language_of("\n".join(texts)))
    near = compile_topic(learn(topic, make_segmenter())).expansion
    return topic_yaml(topic, confirmed(near), len(texts))


def _confirmed(near: NearWords) -> NearWords:
    """Ask which near words do not fit the topic; these get weight 0 and come first."""
    print(_("near words:") + "\n" + "\n".join(wrap(" ".join(near), terminal_columns())))
    typed = input(_("Which are not of the topic? Blanks between words, Enter for none: ")).replace("，", " ").split()
    for word in typed:
        if word not in near:
            print(_("{word} is none of the near words: passed over", word=word), file=sys.stderr)
    refused = {word: NearWord(0.0, near[word].of) for word in typed if word in near}
    return {**refused, **{word: one for word, one in near.items() if word not in refused}}


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        allowed = _("a place that can be written ({why})", why=error.strerror)
        raise ConfigError("topic file", str(path), allowed) from None


def make_missing(names: str, options: Options) -> list[Path]:
    """Write a topic file for each bare name that is no topic yet; returns the paths. Raises UnknownTopic for a name that looks mistyped."""
    made = []
    for name in map(str.strip, names.replace("，", ",").split(",")):
        try:
            topics_of(name, options)
        except UnknownTopic as unknown:
            if not unknown.title:
                raise
            path = _free_path(file_name(unknown.title), options, is_forced=False)
            _write(path, _content(path.stem, unknown.title, []))
            made.append(path)
    return made


_SOURCES: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
ACTION: Action = ("new", new_topic, "write a topic file to edit: from the name alone, or with terms learned from example pages and texts", {
    "name": {"metavar": "NAME", "help": "what it is called; quoted when it has blanks"},
    "--from-urls": {"metavar": "URL", "help": "learn from these pages of the web", **_SOURCES},
    "--from-pages": {"metavar": "FILE|FOLDER|WARC", "help": "learn from pages at rest", **_SOURCES},
    "--from-text": {"metavar": "FILE|-", "help": "learn from texts in UTF-8", **_SOURCES},
    "--force": {"action": "store_true", "help": "write the file anew when it is there"},
    "--yes": {"action": "store_true", "help": "on a terminal, too: take all near words without asking"},
})  # fmt: skip
