"""``scrapy topics seeds``: finds candidates for seeds, scores them, asks which to keep, and adds those to the topic's file."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

import topicspider
from topicspider.cli.command import Action, CliCommand, terminal_columns, whole_number
from topicspider.cli.crawl_data import data_folder, every_store
from topicspider.cli.questions import ask, card
from topicspider.cli.read import pages_named
from topicspider.errors import ConfigError, UnavailableError, one_line
from topicspider.files import atomic_write
from topicspider.i18n import as_typed
from topicspider.i18n import gettext as _
from topicspider.text.normalise import normalise
from topicspider.text.terminal import fit, table
from topicspider.topic.schema import read_topic
from topicspider.url import canonicalize, host_of, site_of, words_in_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from topicspider.cli.judge import OfflineJudge
    from topicspider.cli.pages import LocalPage
    from topicspider.options import Options
    from topicspider.page.links import Link
    from topicspider.store.store import Store
    from topicspider.topic.profile import Topic


MOST = 50
"""(a) Li 2002 takes the first 50 results of a search."""
HITS = "hits"
SOURCES = "RESULTS.html, a URL, or hits and words"
SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d{4}\)(\S+) -->")  # how browsers note the address of a saved page


@dataclass(frozen=True, slots=True)
class Candidate:
    url: str
    title: str = ""
    snippet: str = ""
    score: float = 0.0


def find_seeds(command: CliCommand, opts: argparse.Namespace, options: Options) -> int:
    from topicspider.cli.judge import load_judge

    most = whole_number("--top", opts.top, MOST) if opts.top else None
    judge = load_judge(opts.name, options)
    topic = judge.profile.topic
    found = [candidate for candidate in _candidates(opts.source, judge, command) if candidate.url not in topic.seeds]
    if not found:
        print(_("no candidates were found"))
        if opts.source[:1] == [HITS]:
            print(_("looked in {folder}", folder=data_folder(options).absolute()))
        return 1
    rows = [(f"{seed.score:.3f}", fit(one_line(seed.title) or "-", 26), one_line(unquote(seed.url))) for seed in found]
    print(_("{count} candidates", count=len(found)) + "\n" + table(rows, right=(0,), columns=terminal_columns()))
    cards = [card(f"{one.score:.3f}  {one.title}", one.url, one.snippet) for one in found]
    answers = ask(cards) if most is None else [True] * most
    kept = [candidate.url for candidate, answer in zip(found, answers, strict=False) if answer]
    print("\n".join(["", *kept, ""]) if kept else "\n" + _("none was kept"))
    crawl = as_typed(f"scrapy crawl topic -a topic={topic.name} -a seeds=@")
    if kept and opts.save:
        path = _save(opts.save, kept)
        print(_("written to {path}: {command}", path=path, command=f"{crawl}{path}"))
    if kept and opts.write:
        print(_("{count} seeds were added to {path}", count=len(kept), path=add_seeds(topic, kept)))
    if kept and not (opts.save or opts.write):
        print(_("--write adds them to the topic's file, --save FILE: {command}", command=f"{crawl}FILE"))
    return 0


def _candidates(source: Sequence[str], judge: OfflineJudge, command: CliCommand) -> list[Candidate]:
    from topicspider.cli.pages import PageReader

    if not source:
        from topicspider.cli.starting_points import look_for

        points = look_for(judge.profile.topic, command.settings)
        return [Candidate(point.url, point.title, "", point.score) for point in points if not point.left_out]
    if source[0] == HITS and len(source) > 1:
        return scored(of_hits(every_store(judge.options), " ".join(source[1:])), judge)
    if source[0] == HITS or len(source) > 1:
        raise ConfigError("--from", " ".join(source), SOURCES, "As in --from hits 古镇 攻略")
    local = _results_page(source[0], command)
    reader = PageReader(judge.options, judge.segmenter)
    page, trouble = reader.page(local)
    if page is None or trouble:
        raise UnavailableError(source[0], _("could not be read: {trouble}", trouble=trouble))
    return scored(of_results(page.url, page.links), judge)


def _results_page(source: str, command: CliCommand) -> LocalPage:
    local = next(pages_named(command, [source]), None)
    if local is None:
        raise ConfigError("--from", source, SOURCES, "There is no page in it")
    note = SAVED_FROM.search(local.body[:3000])
    address = canonicalize(note[1].decode("utf-8", "replace")) if note and not local.url else None
    return replace(local, url=address) if address else local


def of_results(address: str, links: Sequence[Link]) -> list[Candidate]:
    """The first MOST results of a search: the links in the main part of its page that lead to other sites.

    A link within the site that has another address in its query (``/url?q=https://…``) counts as a link to that address.
    """
    own = site_of(host_of(address))
    leading = [(url, link) for link in links if site_of(host_of(url := _target(link.url, own))) != own]
    # on a page that has only links, the main part may not be recognised
    main = [(url, link) for url, link in leading if link.block == "main"] or leading
    found: dict[str, Candidate] = {}
    for url, link in main:
        known = found.get(url, Candidate(url))
        # text before a result belongs to the result before it
        snippet = known.snippet if link.after in known.snippet else f"{known.snippet} {link.after}".strip()
        found[url] = Candidate(url, known.title or link.anchor or link.title, snippet)
    return list(found.values())[:MOST]


def _target(url: str, own: str) -> str:
    """Where a link leads in the end: for a link within the ``own`` site, the URL in its query if there is one."""
    if site_of(host_of(url)) == own:
        for __, value in parse_qsl(urlsplit(url).query):
            if value.startswith(("http://", "https://")) and (inner := canonicalize(value)):
                return inner
    return url


def of_hits(stores: Iterable[Store], query: str) -> list[Candidate]:
    """The stored hits, of any topic, whose title and text contain every word of ``query``."""
    words = normalise(query).split()
    found: dict[str, Candidate] = {}
    for item in (row.item for store in stores for row in store.all_hits() if not row.item.duplicate_of):
        text = normalise(f"{item.title}\n{item.body}")
        if all(word in text for word in words):
            found.setdefault(item.url, Candidate(item.url, item.title, item.body))
    return list(found.values())


def scored(candidates: Iterable[Candidate], judge: OfflineJudge) -> list[Candidate]:
    """The MOST best candidates by title, snippet and words of the URL; equal ones keep their order."""

    def score(one: Candidate) -> float:
        return round(judge.judge(judge.words(one.title, " ".join([one.snippet, *words_in_url(one.url)]))).value, 6)

    return sorted((replace(one, score=score(one)) for one in candidates), key=lambda one: -one.score)[:MOST]


def _save(name: str, urls: list[str]) -> Path:
    path = Path(name).expanduser()
    try:
        path.write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise ConfigError("--save", name, "a file that can be written", why) from None
    return path


_SEEDS = re.compile(r"^seeds:[ \t]*(?:#.*)?\r?\n(?P<indent>[ \t]*(?=- ))?", re.MULTILINE)


def add_seeds(topic: Topic, urls: Sequence[str]) -> Path:
    """Write ``urls`` before the seeds in the topic's file; returns its path.

    Raises ConfigError, and writes nothing, if the user has no such file, or if more than the seeds would change in its meaning.
    """
    path = Path(topic.source)
    if not path.is_file() or Path(topicspider.__file__).resolve().parent in path.resolve().parents:
        raise ConfigError("--write", topic.source, "a topic in a file of your own", "Use --save FILE")
    content = path.read_bytes()
    changed = with_seeds(content, urls)
    before, _errors = read_topic(content, str(path), topic.name)
    after, errors = read_topic(changed, str(path), topic.name)
    if errors or after != replace(before, seeds=tuple(dict.fromkeys((*urls, *before.seeds)))):
        raise ConfigError("--write", str(path), "a file whose `seeds:` has a line for each", "Use --save FILE")
    try:
        atomic_write(path.resolve(), changed, stat.S_IMODE(path.stat().st_mode))
    except OSError as error:
        raise ConfigError("--write", str(path), "a file that can be written", error.strerror or "") from None
    return path


def with_seeds(content: bytes, urls: Sequence[str]) -> bytes:
    """``content`` of a topic file with ``urls`` added before its seeds, one a line."""
    text = content.decode("utf-8", "replace")
    end = "\r\n" if "\r\n" in text else "\n"
    text = text if text.endswith("\n") else text + end
    found = _SEEDS.search(text)
    if found is None:
        found = _SEEDS.search(text := f"{text}{end}seeds:{end}")
        assert found is not None
    indent, place = found["indent"], found.end() - len(found["indent"] or "")
    lines = "".join(f"{'  ' if indent is None else indent}- {url}{end}" for url in urls)
    return (text[:place] + lines + text[place:]).encode()


ACTION: Action = ("seeds", find_seeds, "find seeds where the topic's name leads to, among the links of a page of search results, or among stored hits with all the given words", {
    "name": {"metavar": "NAME"},
    "--from": {"dest": "source", "nargs": "+", "default": [], "metavar": "SOURCE", "help": f"{SOURCES}; without it those of seed_sources.yaml"},
    "--top": {"default": "", "metavar": "N", "help": "keep the N best without asking"},
    "--write": {"action": "store_true", "help": "add what is kept to the `seeds:` of the topic's file"},
    "--save": {"default": "", "metavar": "FILE", "help": "write what is kept to FILE, for -a seeds=@FILE"},
})  # fmt: skip
