"""``scrapy topics new``: makes a topic file of a name, and of example pages and texts when there are some."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from topicspider.errors import ConfigError, TopicError, UnavailableError
from topicspider.text.wording import shell_word
from topicspider.topic.loading import check_topic, known_topics, load_topic
from topicspider.topic.schema import read_topic, web_url
from topicspider.topic.search_path import writing_dir
from topicspider.topic.yaml_node import YamlNode
from topicspider.workbench.action import Action, Desk
from topicspider.workbench.showing import show

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from topicspider.cli.pages import LocalPage, PageReader

MOST_PAGES = 500
"""As many texts as a topic file may hold; of more pages the first are read."""
LEAST_TEXT = 20
"""Characters: a page with less says nothing."""


@dataclass(slots=True)
class Sources:
    """What a topic is learned from: texts, the hosts they came from, and what could not be used, with the reason."""

    texts: list[str] = field(default_factory=list)
    seeds: dict[str, None] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add(self, where: str, text: str) -> bool:
        """Take a text; False when it is too short to say anything."""
        if len(text.strip()) < LEAST_TEXT:
            self.left_out.append((where, "it has no text"))
            return False
        self.texts.append(text)
        return True


def _run(names: Sequence[str], opts: argparse.Namespace, desk: Desk) -> int:
    from topicspider.cli.pages import require_pages
    from topicspider.topic.drafting import clean_title, file_name

    name = names[0]
    path = _free_path(file_name(name), desk, is_forced=opts.force)
    title = clean_title(opts.title or name)
    urls = _urls(opts.from_urls)
    for folder in opts.from_pages:
        require_pages(Path(folder))
    sources = _sources(urls, opts, desk)
    for where, reason in sources.left_out:
        print(f"{'略过' if desk.chinese else 'left out'}: {where}: {reason}", file=sys.stderr)
    if not sources.texts and (urls or opts.from_pages or opts.from_text):
        raise _nothing(sources, urls)
    content = _content(path.stem, title, sources, desk)
    _write(path, content, is_forced=opts.force)
    for error in check_topic(path):
        raise error
    _print_made(path, desk)
    return 0


def _free_path(slug: str, desk: Desk, *, is_forced: bool) -> Path:
    folder = writing_dir(desk.options.topics_dir)
    for path in (folder / f"{slug}.yaml", folder / f"{slug}.yml"):
        if path.exists() and not is_forced:
            raise ConfigError(
                "topic", slug, f"a name without a file; {path} is there", "With --force it is written anew."
            )
    return folder / f"{slug}.yaml"


def _urls(written: Sequence[str]) -> list[str]:
    """Canonical URLs, of the command line and of @FILE with one a line; ConfigError for what is none."""
    texts: list[str] = []
    for text in written:
        texts += _lines(text[1:]) if text.startswith("@") else [text]
    urls = []
    for text in texts:
        try:
            urls.append(web_url(YamlNode("--from-urls", 1, "URL", text=text)))
        except TopicError as error:
            raise ConfigError("--from-urls", text, error.allowed) from None
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


def _sources(urls: list[str], opts: argparse.Namespace, desk: Desk) -> Sources:
    from topicspider.cli.pages import PageReader, pages_in
    from topicspider.text.segment import make_segmenter

    sources = Sources()
    for file in opts.from_text:
        sources.add(file, sys.stdin.read() if file == "-" else _read(file))
    with closing(PageReader(desk.options, make_segmenter(desk.options.segmenter))) as reader:
        for folder in opts.from_pages:
            _add_pages(sources, pages_in(Path(folder), desk.options.max_bytes), reader)
        for page in _add_pages(sources, desk.fetch(urls) if urls else [], reader):
            parts = urlsplit(page.url)
            sources.seeds[f"{parts.scheme}://{parts.netloc}/"] = None
    return sources


def _add_pages(sources: Sources, pages: Iterable[LocalPage], reader: PageReader) -> list[LocalPage]:
    """Those that were taken."""
    taken = []
    for local in pages:
        if len(sources.texts) >= MOST_PAGES:
            break
        where = local.url or local.file
        page, trouble = reader.page(local)
        if page is None or trouble:
            sources.left_out.append((where, trouble))
        elif sources.add(where, f"{page.title}\n{page.body}" if page.body else ""):
            taken.append(local)
    return taken


def _nothing(sources: Sources, urls: list[str]) -> ConfigError | UnavailableError:
    where, reason = sources.left_out[0] if sources.left_out else ("the sources", "nothing is there")
    more = f" (and {len(sources.left_out) - 1} more)" if len(sources.left_out) > 1 else ""
    if where in urls:
        return UnavailableError(
            where, f"could not be read: {reason}{more}", f"`scrapy doctor -a seeds={where}` shows each step"
        )
    return ConfigError("text", where, f"at least one text or page to learn from: {reason}{more}")


def _content(slug: str, title: str, sources: Sources, desk: Desk) -> str:
    """The file's text; the words near the topic are found once its terms are known."""
    from topicspider.text.segment import make_segmenter
    from topicspider.topic.compiling import compile_topic
    from topicspider.topic.drafting import Draft, languages_of, terms_of, topic_yaml
    from topicspider.topic.learning import learn, learn_terms

    segmenter = make_segmenter(desk.options.segmenter)
    learned = learn_terms(sources.texts, segmenter) if sources.texts else {}
    terms = terms_of(title, learned)
    languages = languages_of([title, *terms])
    draft = Draft(slug, title, languages, terms, {}, tuple(sources.seeds), len(sources.texts))
    topic, errors = read_topic(topic_yaml(draft).encode(), "draft", slug)
    for error in errors:
        raise error
    model = compile_topic(learn(topic, make_segmenter(desk.options.segmenter)), desk.options.tier)
    return topic_yaml(Draft(slug, title, languages, terms, model.expansion, tuple(sources.seeds), len(sources.texts)))


def _write(path: Path, content: str, *, is_forced: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if is_forced else "x", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except OSError as error:
        raise ConfigError("topic file", str(path), f"a place that can be written ({error.strerror})") from None


def _print_made(path: Path, desk: Desk) -> None:
    folder = desk.options.topics_dir
    known = path.stem in known_topics(folder) and load_topic(path.stem, folder).source == str(path)
    called = path.stem if known else str(path)
    show(load_topic(str(path), folder), desk)
    made, edit, start = ("已写入", "修改后", "开始") if desk.chinese else ("written", "after a change", "to begin")
    print(f"\n{made}: {path}")
    print(f"{edit}: scrapy topics check {shell_word(called)}")
    seeds = "" if load_topic(str(path), folder).seeds else " -a seeds=URL,URL"
    print(f"{start}: scrapy crawl topic -a topic={shell_word(called)}{seeds}")


def _wanted(names: Sequence[str]) -> str:
    if len(names) != 1:
        return "new takes one name (quote it when it has blanks)" if names else "new takes a name"
    return f"{names[0]} is no option of new" if names[0].startswith("-") else ""


def _add_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--from-urls",
        nargs="+",
        action="extend",
        default=[],
        metavar="URL|@FILE",
        help="learn from these pages of the web",
    )
    group.add_argument(
        "--from-pages",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE|FOLDER|WARC",
        help="learn from pages at rest",
    )
    group.add_argument(
        "--from-text", nargs="+", action="extend", default=[], metavar="FILE|-", help="learn from texts in UTF-8"
    )
    group.add_argument("--title", default="", help="what the topic is called (default: the name)")
    group.add_argument("--force", action="store_true", help="write the file anew when it is there")


ACTION = Action(
    "new",
    "new NAME [--from-urls URL ...|@FILE] [--from-pages PATH ...] [--from-text FILE|-]",
    "`new NAME` writes a topic file to edit: from the name alone, or with terms learned from example pages and texts.",
    _wanted,
    _run,
    _add_options,
)
