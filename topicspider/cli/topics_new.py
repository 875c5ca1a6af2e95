"""``scrapy topics new``: makes a topic file of a name, and of example pages and texts when there are some."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from topicspider.errors import ConfigError, UnavailableError
from topicspider.i18n import gettext as _
from topicspider.i18n import shell_word
from topicspider.options import MAX_PAGE_BYTES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.pages import LocalPage, PageReader
    from topicspider.options import Options

MOST_PAGES = 500
"""As many texts as a topic file may hold; of more pages the first are read."""
ABOUT = "write a topic file to edit: from the name alone, or with terms learned from example pages and texts"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("new", help=ABOUT, description=ABOUT)
    parser.set_defaults(action=new_topic)
    parser.add_argument("name", metavar="NAME", help="what it is called; quoted when it has blanks")
    lists = {"nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--from-urls", metavar="URL|@FILE", help="learn from these pages of the web", **lists)  # type: ignore[arg-type]
    parser.add_argument("--from-pages", metavar="FILE|FOLDER|WARC", help="learn from pages at rest", **lists)  # type: ignore[arg-type]
    parser.add_argument("--from-text", metavar="FILE|-", help="learn from texts in UTF-8", **lists)  # type: ignore[arg-type]
    parser.add_argument("--title", default="", help="what the topic is called (default the name)")
    parser.add_argument("--force", action="store_true", help="write the file anew when it is there")


@dataclass(slots=True)
class Sources:
    """What a topic is learned from: texts, the hosts they came from, and what could not be used, with the reason."""

    texts: list[str] = field(default_factory=list)
    seeds: dict[str, None] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add(self, source: str, text: str) -> bool:
        """Take a text; False when it is too short to say anything."""
        if len(text.strip()) < 20:
            self.left_out.append((source, "it has no text"))
            return False
        self.texts.append(text)
        return True


def new_topic(command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    """Learn, write the file, check it, show it."""
    from topicspider.cli.pages import require_pages
    from topicspider.topic.drafting import clean_title, file_name
    from topicspider.topic.loading import check_topic

    path = _free_path(file_name(opts.name), options, is_forced=opts.force)
    title = clean_title(opts.title or opts.name)
    urls = _urls(opts.from_urls)
    for folder in opts.from_pages:
        require_pages(Path(folder))
    sources = _sources(urls, command, opts, options)
    for source, reason in sources.left_out:
        print(_("left out: {source}: {reason}", source=source, reason=reason), file=sys.stderr)
    if not sources.texts and (urls or opts.from_pages or opts.from_text):
        raise _nothing_to_learn_from(sources, urls)
    _write(path, _content(path.stem, title, sources, options), is_forced=opts.force)
    for error in check_topic(path):
        raise error
    _print_made(path, options)


def _free_path(slug: str, options: Options, *, is_forced: bool) -> Path:
    from topicspider.topic.search_path import writing_dir

    folder = writing_dir(options.topics_dir)
    for path in (folder / f"{slug}.yaml", folder / f"{slug}.yml"):
        if path.exists() and not is_forced:
            hint = "With --force it is written anew."
            raise ConfigError("topic", slug, f"a name without a file; {path} is there", hint)
    return folder / f"{slug}.yaml"


def _urls(texts: Sequence[str]) -> list[str]:
    """Canonical URLs, of the command line and of @FILE with one a line; ConfigError for what is none."""
    from topicspider.url import canonicalize

    urls = []
    for text in (part for given in texts for part in (_lines(given[1:]) if given.startswith("@") else [given])):
        url = canonicalize(text)
        if url is None:
            raise ConfigError("--from-urls", text, "an http:// or https:// URL")
        urls.append(url)
    return list(dict.fromkeys(urls))[:MOST_PAGES]


def _lines(file: str) -> list[str]:
    lines = [line.strip() for line in _read(file).splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError("file", file, f"a file that can be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError("file", file, "text in UTF-8") from None


def _sources(urls: list[str], command: CliCommand, opts: argparse.Namespace, options: Options) -> Sources:
    from topicspider.cli.pages import PageReader, pages_in
    from topicspider.text.segment import make_segmenter

    sources = Sources()
    for file in opts.from_text:
        sources.add(file, sys.stdin.read() if file == "-" else _read(file))
    with closing(PageReader(options, make_segmenter(options.segmenter))) as reader:
        for folder in opts.from_pages:
            _add_pages(sources, pages_in(Path(folder), MAX_PAGE_BYTES), reader)
        for page in _add_pages(sources, command.fetch(urls) if urls else [], reader):
            parts = urlsplit(page.url)
            sources.seeds[f"{parts.scheme}://{parts.netloc}/"] = None
    return sources


def _add_pages(sources: Sources, pages: Iterable[LocalPage], reader: PageReader) -> list[LocalPage]:
    """Those that were taken."""
    taken = []
    for local in pages:
        if len(sources.texts) >= MOST_PAGES:
            break
        page, trouble = reader.page(local)
        if page is None or trouble:
            sources.left_out.append((local.url or local.file, trouble))
        elif sources.add(local.url or local.file, f"{page.title}\n{page.body}" if page.body else ""):
            taken.append(local)
    return taken


def _nothing_to_learn_from(sources: Sources, urls: list[str]) -> ConfigError | UnavailableError:
    source, reason = sources.left_out[0] if sources.left_out else ("the sources", "nothing is there")
    more = f" (and {len(sources.left_out) - 1} more)" if len(sources.left_out) > 1 else ""
    if source in urls:
        hint = f"`scrapy doctor -a seeds={source}` shows each step"
        return UnavailableError(source, f"could not be read: {reason}{more}", hint)
    return ConfigError("text", source, f"at least one text or page to learn from: {reason}{more}")


def _content(slug: str, title: str, sources: Sources, options: Options) -> str:
    """The file's text; the words near the topic are found once its terms are known."""
    from topicspider.text.segment import make_segmenter
    from topicspider.topic.compiling import compile_topic
    from topicspider.topic.drafting import Draft, languages_of, terms_of, topic_yaml
    from topicspider.topic.learning import learn, learn_terms
    from topicspider.topic.schema import read_topic

    learned = learn_terms(sources.texts, make_segmenter(options.segmenter)) if sources.texts else {}
    terms = terms_of(title, learned)
    languages = languages_of([title, *terms])
    draft = Draft(slug, title, languages, terms, {}, tuple(sources.seeds), len(sources.texts))
    topic, errors = read_topic(topic_yaml(draft).encode(), "draft", slug)
    for error in errors:
        raise error
    model = compile_topic(learn(topic, make_segmenter(options.segmenter)))
    return topic_yaml(Draft(slug, title, languages, terms, model.expansion, tuple(sources.seeds), len(sources.texts)))


def _write(path: Path, content: str, *, is_forced: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if is_forced else "x", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except OSError as error:
        raise ConfigError("topic file", str(path), f"a place that can be written ({error.strerror})") from None


def _print_made(path: Path, options: Options) -> None:
    from topicspider.cli.topics import print_topic
    from topicspider.topic.loading import known_topics, load_topic

    folder = options.topics_dir
    topic = load_topic(str(path), folder)
    is_known = path.stem in known_topics(folder) and load_topic(path.stem, folder).source == str(path)
    name = shell_word(path.stem if is_known else str(path))
    print_topic(topic, options)
    print("\n" + _("written: {path}", path=path))
    print(_("after a change: scrapy topics check {name}", name=name))
    seeds = "" if topic.seeds else " -a seeds=URL,URL"
    print(_("to begin: scrapy crawl topic -a topic={name}{seeds}", name=name, seeds=seeds))
