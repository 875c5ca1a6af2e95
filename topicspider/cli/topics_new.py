"""``scrapy topics new``: makes a topic file of a name, and of example pages and texts when there are some."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from topicspider.errors import ConfigError, UnavailableError
from topicspider.i18n import gettext as _
from topicspider.i18n import shell_word
from topicspider.options import MAX_PAGE_BYTES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from topicspider.cli.command import Action, CliCommand
    from topicspider.cli.pages import LocalPage, PageReader
    from topicspider.options import Options

MOST_PAGES = 500
"""As many texts as a topic file may hold; of more pages the first are read."""


@dataclass(slots=True)
class Sources:
    """What a topic is learned from: texts, the roots of the sites they came from, and what could not be used, with the reason."""

    texts: list[str] = field(default_factory=list)
    seeds: dict[str, None] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add(self, source: str, text: str) -> None:
        """Take a text, unless it is too short to say anything."""
        if len(text.strip()) < 20:
            self.left_out.append((source, "it has no text"))
        else:
            self.texts.append(text)

    def add_pages(self, pages: Iterable[LocalPage], reader: PageReader) -> None:
        """Take the texts of pages, and the sites of those that were fetched."""
        for local in pages:
            if len(self.texts) >= MOST_PAGES:
                return
            page, trouble = reader.page(local)
            if page is None or trouble:
                self.left_out.append((local.url or local.file, trouble))
                continue
            known = len(self.texts)
            self.add(local.url or local.file, f"{page.title}\n{page.body}" if page.body else "")
            if len(self.texts) > known and not local.file:
                parts = urlsplit(local.url)
                self.seeds[f"{parts.scheme}://{parts.netloc}/"] = None


def new_topic(command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    """Learn, write the file, check it, show it."""
    from topicspider.cli.pages import require_pages
    from topicspider.topic.drafting import file_name

    path = _free_path(file_name(opts.name), options, is_forced=opts.force)
    urls = _urls(opts.from_urls)
    for folder in opts.from_pages:
        require_pages(Path(folder))
    sources = _sources(urls, command, opts, options)
    for source, reason in sources.left_out:
        print(_("left out: {source}: {reason}", source=source, reason=reason), file=sys.stderr)
    if not sources.texts and (urls or opts.from_pages or opts.from_text):
        raise _nothing_to_learn_from(sources, urls)
    _write(path, _content(path.stem, opts.name, sources, options))
    _print_made(path, options)


def _free_path(slug: str, options: Options, *, is_forced: bool) -> Path:
    from topicspider.topic.search_path import writing_dir

    path = writing_dir(options.topics_dir) / f"{slug}.yaml"
    if path.exists() and not is_forced:
        hint = "With --force it is written anew."
        raise ConfigError("topic", slug, f"a name without a file; {path} is there", hint)
    return path


def _urls(texts: Sequence[str]) -> list[str]:
    """Canonical URLs; ConfigError for what is none."""
    from topicspider.url import canonicalize

    urls = {text: canonicalize(text) for text in texts}
    for text, url in urls.items():
        if url is None:
            raise ConfigError("--from-urls", text, "an http:// or https:// URL")
    return list(dict.fromkeys(filter(None, urls.values())))[:MOST_PAGES]


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise ConfigError("file", file, f"a text that can be read ({why})") from None


def _sources(urls: list[str], command: CliCommand, opts: argparse.Namespace, options: Options) -> Sources:
    from topicspider.cli.pages import PageReader, pages_in
    from topicspider.text.segment import make_segmenter

    sources = Sources()
    for file in opts.from_text:
        sources.add(file, sys.stdin.read() if file == "-" else _read(file))
    with closing(PageReader(options, make_segmenter(options.segmenter))) as reader:
        for folder in opts.from_pages:
            sources.add_pages(pages_in(Path(folder), MAX_PAGE_BYTES), reader)
        sources.add_pages(command.fetch(urls) if urls else [], reader)
    return sources


def _nothing_to_learn_from(sources: Sources, urls: list[str]) -> ConfigError | UnavailableError:
    source, reason = sources.left_out[0] if sources.left_out else ("the sources", "nothing is there")
    if source in urls:
        hint = f"`scrapy doctor -a seeds={source}` shows each step"
        return UnavailableError(source, f"could not be read: {reason}", hint)
    return ConfigError("text", source, f"at least one text or page to learn from: {reason}")


def _content(slug: str, name: str, sources: Sources, options: Options) -> str:
    """The file's text: what was learned, and the words near that."""
    from topicspider.text.segment import make_segmenter
    from topicspider.topic.compiling import compile_topic
    from topicspider.topic.drafting import draft, topic_yaml
    from topicspider.topic.learning import learn, learn_terms

    learned = learn_terms(sources.texts, make_segmenter(options.segmenter)) if sources.texts else {}
    topic = draft(slug, name, learned, tuple(sources.seeds))
    near = compile_topic(learn(topic, make_segmenter(options.segmenter))).expansion
    return topic_yaml(topic, near, len(sources.texts))


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError("topic file", str(path), f"a place that can be written ({error.strerror})") from None


def _print_made(path: Path, options: Options) -> None:
    from topicspider.cli.topics import print_topic
    from topicspider.topic.loading import known_topics, load_topic

    topic = load_topic(str(path))
    name = shell_word(path.stem if path.stem in known_topics(options.topics_dir) else str(path))
    print_topic(topic, options)
    print("\n" + _("written: {path}", path=path))
    print(_("after a change: scrapy topics check {name}", name=name))
    seeds = "" if topic.seeds else " -a seeds=URL,URL"
    print(_("to begin: scrapy crawl topic -a topic={name}{seeds}", name=name, seeds=seeds))


_SOURCES: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
ACTION: Action = (
    "new",
    new_topic,
    "write a topic file to edit: from the name alone, or with terms learned from example pages and texts",
    {
        "name": {"metavar": "NAME", "help": "what it is called; quoted when it has blanks"},
        "--from-urls": {"metavar": "URL", "help": "learn from these pages of the web", **_SOURCES},
        "--from-pages": {"metavar": "FILE|FOLDER|WARC", "help": "learn from pages at rest", **_SOURCES},
        "--from-text": {"metavar": "FILE|-", "help": "learn from texts in UTF-8", **_SOURCES},
        "--force": {"action": "store_true", "help": "write the file anew when it is there"},
    },
)
