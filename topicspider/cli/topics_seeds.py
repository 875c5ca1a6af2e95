"""``scrapy topics seeds``: candidates for seeds, scored, checked, chosen, and added to the topic's file."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from topicspider.cli.command import terminal_columns, whole_number
from topicspider.errors import ConfigError, UnavailableError, one_line
from topicspider.files import atomic_write
from topicspider.i18n import gettext as _
from topicspider.options import MAX_PAGE_BYTES
from topicspider.text.terminal import fit, table, wrap
from topicspider.topic.loading import STORED
from topicspider.topic.schema import read_topic
from topicspider.topic.search_path import topic_dirs
from topicspider.url import canonicalize, host_key, host_of, site_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.judge import OfflineJudge
    from topicspider.cli.pages import LocalPage
    from topicspider.download.reachability import Reach
    from topicspider.options import Options
    from topicspider.page.links import Link
    from topicspider.politeness.robots import Rules
    from topicspider.store.store import Store
    from topicspider.topic.profile import Topic


MOST = 50
"""(a) Li 2002 takes the first 50 results of a search."""
HITS = "hits"
SOURCES = "RESULTS.html, a URL, or hits and words"
NO_ADDRESS = "file.invalid"  # what links are relative to on a page whose address nobody knows
SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d{4}\)(\S+) -->")  # how browsers note the address of a saved page
ABOUT = (
    f"take up to {MOST} candidates from a page of search results (saved, or at a URL) or from stored hits with all the given words, score "
    "them, check that they can be reached and that robots.txt allows them, and keep those you answer y for (or the best N)"
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("seeds", help="find seeds among search results or stored hits", description=ABOUT)
    parser.set_defaults(action=find_seeds)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--from", dest="source", nargs="+", default=[], metavar="SOURCE", help=f"where candidates come from, {SOURCES}")  # fmt: skip
    parser.add_argument("--top", default="", metavar="N", help="keep the N best that can be reached, without asking")
    parser.add_argument("--write", action="store_true", help="add what is kept to the `seeds:` of the topic's file; the rest of it stays as it is")  # fmt: skip
    parser.add_argument("--save", default="", metavar="FILE", help="write what is kept to FILE, for -a seeds=@FILE")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible seed. ``trouble`` says in words why a crawl would not get it; "" when it would."""

    url: str
    title: str = ""
    snippet: str = ""
    score: float = 0.0
    trouble: str = ""


def find_seeds(command: CliCommand, opts: argparse.Namespace, options: Options) -> int:
    """Find, show, choose, write."""
    from topicspider.cli.judge import load_judge

    most = whole_number("--top", opts.top, MOST) if opts.top else None
    judge = load_judge(opts.name, options)
    known = set(judge.profile.topic.seeds)
    found = [candidate for candidate in _candidates(opts.source, judge, command) if candidate.url not in known]
    if not found:
        print(_("no candidates were found"))
        return 1
    found = checked(found, options, _robots_agent(command, options))
    print(_list_text(found))
    good = [candidate for candidate in found if not candidate.trouble]
    kept = _chosen(good) if most is None else good[:most]
    print()
    if not kept:
        print(_("none was kept"))
        return 0
    urls = [candidate.url for candidate in kept]
    print("\n".join([*urls, "", *_write_down(urls, opts, judge)]))
    return 0


def _robots_agent(command: CliCommand, options: Options) -> str:
    from topicspider.addon import user_agent

    assert command.settings is not None
    return str(command.settings.get("ROBOTSTXT_USER_AGENT") or user_agent(command.settings, options))


def _candidates(source: Sequence[str], judge: OfflineJudge, command: CliCommand) -> list[Candidate]:
    from topicspider.cli.crawl_data import every_store
    from topicspider.cli.pages import PageReader

    if not source:
        raise ConfigError("--from", None, SOURCES)
    if source[0] == HITS:
        if len(source) == 1:
            raise ConfigError("--from", HITS, "hits and the words to look for", "As in --from hits 古镇 攻略")
        with every_store(judge.options) as stores:
            return of_hits(stores, " ".join(source[1:]), judge)
    if len(source) > 1:
        raise ConfigError("--from", " ".join(source), f"one of: {SOURCES}")
    local = _results_page(source[0], command, judge.options)
    with closing(PageReader(judge.options, judge.segmenter)) as reader:
        page, trouble = reader.page(local)
    if page is None or trouble:
        raise UnavailableError(source[0], f"could not be read: {trouble}")
    return scored(of_results(page.url, page.links), judge)


def _results_page(source: str, command: CliCommand, options: Options) -> LocalPage:
    from topicspider.cli.pages import pages_in

    if "://" in source[:30]:
        url = canonicalize(source)
        if url is None:
            raise ConfigError("--from", source, SOURCES)
        return command.fetch([url])[0]
    local = next(iter(pages_in(Path(source), MAX_PAGE_BYTES)), None)
    if local is None:
        raise ConfigError("--from", source, SOURCES, "There is no page in it")
    note = SAVED_FROM.search(local.body[:3000])
    address = canonicalize(note[1].decode("utf-8", "replace")) if note and not local.url else None
    return replace(local, url=address) if address else local


def of_results(address: str, links: Sequence[Link]) -> list[Candidate]:
    """The first MOST pages that a page of search results leads to: links of its main part, away from its own site.

    A link of the site itself that names another address in its query (``/url?q=https://…``) counts as a link to that address. Of a page
    without an address the own sites are those that such links, or most links of its menus, lead to.
    """
    own = _own_sites(address, links)
    leading = [(url, link) for link in links if (url := _target(link.url, own)) and site_of(host_of(url)) not in own]
    # on a page of nothing but links the main part may not be told from its furniture
    main = [(url, link) for url, link in leading if link.block == "main"] or leading
    found: dict[str, Candidate] = {}
    for url, link in main:
        known = found.get(url, Candidate(url))
        # what stands before a result belongs to the one before it
        snippet = known.snippet if link.after in known.snippet else f"{known.snippet} {link.after}".strip()
        found[url] = Candidate(url, known.title or link.anchor or link.title, snippet)
    return list(found.values())[:MOST]


def _own_sites(address: str, links: Sequence[Link]) -> set[str]:
    host = host_of(address)
    if host != NO_ADDRESS:
        return {site_of(host)}
    own = {NO_ADDRESS} | {site_of(host_of(link.url)) for link in links if _url_in_query(link.url)}
    menus = Counter(site_of(host_of(link.url)) for link in links if link.block != "main")
    return own | {site for site, count in menus.most_common(1) if count > 1}


def _target(url: str, own: set[str]) -> str:
    """Where a link leads in the end, as far as it says so itself."""
    return (_url_in_query(url) if site_of(host_of(url)) in own else "") or url


def _url_in_query(url: str) -> str:
    """The address of another site in the query of ``url``, "" when there is none."""
    for __, value in parse_qsl(urlsplit(url).query):
        if value.startswith(("http://", "https://")) and (inner := canonicalize(value)):
            return inner if site_of(host_of(inner)) != site_of(host_of(url)) else ""
    return ""


def of_hits(stores: Iterable[Store], query: str, judge: OfflineJudge) -> list[Candidate]:
    """The MOST best stored hits, of any topic, whose title and text have every word of ``query``; scored for this topic."""
    from topicspider.text.normalise import normalise

    words = normalise(query).split()
    found: dict[str, Candidate] = {}
    for item in (row.item for store in stores for row in store.all_hits() if not row.item.duplicate_of):
        text = normalise(f"{item.title}\n{item.body}")
        if item.url not in found and all(word in text for word in words):
            score = judge.judge(judge.words(item.title, item.body)).value
            found[item.url] = Candidate(item.url, one_line(item.title), one_line(item.summary), score)
    return _best_first(found.values())[:MOST]


def scored(candidates: Iterable[Candidate], judge: OfflineJudge) -> list[Candidate]:
    """Each with its score by title, snippet and the words of its URL; the best first."""
    return _best_first(replace(candidate, score=_score(candidate, judge)) for candidate in candidates)


def _best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """In the order of their scores; equal ones stay as they were."""
    return sorted(candidates, key=lambda candidate: -round(candidate.score, 6))


def _score(candidate: Candidate, judge: OfflineJudge) -> float:
    from topicspider.relevance.interfaces import PageWords
    from topicspider.url import words_in_url

    of_url = [word for piece in words_in_url(candidate.url) for word in judge.segmenter.words(piece)]
    of_text = judge.words(candidate.title, candidate.snippet)
    return judge.judge(PageWords(title=of_text.title, body=(*of_text.body, *of_url))).value


def checked(candidates: Sequence[Candidate], options: Options, agent: str) -> list[Candidate]:
    """The candidates in their order, each with what would keep a crawl from it; each host is asked once."""
    from topicspider.download.reachability import reach_all
    from topicspider.politeness.blocklist import DoNotCrawl
    from topicspider.setting_rules import setting_name

    blocked = DoNotCrawl.read(setting_name("do_not_crawl"), options.do_not_crawl)
    free = [candidate.url for candidate in candidates if not blocked.covers(host_of(candidate.url))]
    first = {host_key(url): url for url in reversed(free)}
    seconds = min(options.connect_timeout, 10.0)
    reached = reach_all(list(first.values()), seconds, allow_private=options.allow_private, agent=agent)
    hosts = {key: (reach, _rules(reach, agent)) for key, reach in zip(first, reached, strict=True)}
    return [replace(candidate, trouble=_trouble(candidate.url, hosts)) for candidate in candidates]


def _rules(reached: Reach, agent: str) -> Rules:
    from topicspider.politeness.robots import ALLOW_ALL, Rules, read_rules

    if reached.robots_status >= 500:
        return Rules(None, everything=False)
    return read_rules(reached.robots_body, agent) if reached.robots_body else ALLOW_ALL


def _trouble(url: str, hosts: dict[str, tuple[Reach, Rules]]) -> str:
    key = host_key(url)
    if key not in hosts:
        return "do not crawl"
    reached, rules = hosts[key]
    if reached.failed:
        return f"{reached.failed}: {reached.why}"
    return "" if rules.allow(url) else "robots.txt"


def _list_text(found: Sequence[Candidate]) -> str:
    """Every candidate with its score, and what keeps a crawl from it."""
    columns = terminal_columns()
    rows = [(f"{seed.score:.3f}", fit(one_line(seed.title) or "-", 26), one_line(unquote(seed.url))) for seed in found]
    lines = [_("{count} candidates", count=len(found))]
    for seed, row in zip(found, table(rows, right=(0,), columns=columns).split("\n"), strict=True):
        lines.append(row)
        if seed.trouble:
            lines.append(fit(f"       !! {seed.trouble}", columns))
    return "\n".join(lines)


def _chosen(found: Sequence[Candidate]) -> list[Candidate]:
    from topicspider.cli.questions import ask, typed_keys

    with typed_keys() as next_key:
        answers = ask([_card(seed) for seed in found], next_key)
    return [seed for seed, answer in zip(found, answers, strict=True) if answer]


def _card(seed: Candidate) -> str:
    columns = terminal_columns()
    lines = [one_line(seed.title), f"{seed.score:.3f}  {one_line(unquote(seed.url))}"]
    return "\n".join([fit(line, columns) for line in lines if line] + wrap(one_line(seed.snippet, 200), columns)[:2])


def _write_down(urls: list[str], opts: argparse.Namespace, judge: OfflineJudge) -> list[str]:
    """Write them as asked for, and say what to do with them."""
    from topicspider.cli.topics_seeds import add_seeds

    topic, lines = judge.view.topic, []
    crawl = f"scrapy crawl topic -a topic={topic} -a seeds=@"
    if opts.save:
        lines.append(_("written to {path}: {command}", path=(path := _save(opts.save, urls)), command=f"{crawl}{path}"))
    if opts.write:
        path = add_seeds(judge.profile.topic, urls, judge.options.topics_dir)
        lines.append(_("{count} seeds were added to {path}", count=len(urls), path=path))
    return lines or [_("--write adds them to the topic's file, --save FILE: {command}", command=f"{crawl}FILE")]


def _save(name: str, urls: list[str]) -> Path:
    path = Path(name).expanduser()
    try:
        path.write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise ConfigError("--save", name, "a file that can be written", why) from None
    return path


# what needs no quotes, in a list over several lines and in one within [ ]
_PLAIN = re.compile(r"https?://[A-Za-z0-9._~/%?=&+@$();:-]*[A-Za-z0-9._~/%?=&+@$();-]")
_INDENT = "  "


def add_seeds(topic: Topic, urls: Sequence[str], topics_dir: str) -> Path:
    """Write ``urls`` behind the seeds in the topic's file; the file. A topic of the installed package is copied to ``topics_dir`` first.

    ConfigError, and nothing is written, when there is no file that may be changed, or it would no longer say the same but for the seeds.
    """
    path = _own_file(topic, topics_dir)
    source = Path(topic.source) if Path(topic.source).is_file() else path
    content = source.read_bytes()
    changed = with_seeds(content, urls)
    before, _ = read_topic(content, str(path), topic.name)
    after, errors = read_topic(changed, str(path), topic.name)
    wanted = tuple(dict.fromkeys((*before.seeds, *urls)))
    if errors or after != replace(before, seeds=wanted):
        raise ConfigError(
            "--write", str(path), "a file whose `seeds:` is a list, in UTF-8", "Add them by hand: --save FILE"
        )
    _write(path, changed, source)
    return path


def with_seeds(content: bytes, urls: Sequence[str]) -> bytes:
    """The file's ``content`` with ``urls`` behind its seeds."""
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    text = content[len(mark) :].decode("utf-8", "replace")
    end = "\r\n" if "\r\n" in text else "\n"
    return mark + _added(text, list(urls), end).encode()


def _added(text: str, urls: list[str], end: str) -> str:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    key, value = next(((key, value) for key, value in pairs if key.value == "seeds"), (None, None))
    if key is None or value is None:
        separated = text if text.endswith("\n") or not text else text + end
        return f"{separated}{end}seeds:{end}{_lines(urls, _INDENT, end)}"
    if isinstance(value, yaml.SequenceNode) and value.value:
        last = value.value[-1].end_mark.index
        if value.flow_style:
            return text[:last] + "".join(f", {_written(url)}" for url in urls) + text[last:]
        return _below(text, last, _lines(urls, " " * value.start_mark.column, end), end)
    if isinstance(value, yaml.ScalarNode) and value.tag.endswith(":str"):
        urls = [value.value, *urls]
    bare = text[: value.start_mark.index] + text[value.end_mark.index :]
    return _below(bare, key.end_mark.index, _lines(urls, _INDENT, end), end)


def _below(text: str, place: int, lines: str, end: str) -> str:
    """``text`` with ``lines`` behind the line of ``place``."""
    line_end = text.find("\n", place)
    if line_end < 0:
        return f"{text}{end}{lines}"
    return text[: line_end + 1] + lines + text[line_end + 1 :]


def _lines(urls: Sequence[str], indent: str, end: str) -> str:
    return "".join(f"{indent}- {_written(url)}{end}" for url in urls)


def _written(url: str) -> str:
    return url if _PLAIN.fullmatch(url) else json.dumps(url, ensure_ascii=False)


def _own_file(topic: Topic, topics_dir: str) -> Path:
    """Where the topic may be written."""
    if topic.source.startswith(STORED):
        hint = "Use --save FILE, add them to the file, and `topics store` it again"
        raise ConfigError("--write", topic.source, "a topic of a file; this one is in the store", hint)
    path = Path(topic.source)
    if path.is_file() and not _is_packaged(path):
        return path.resolve()
    asked = topics_dir or os.environ.get("TOPICS_DIR", "")
    if not asked:
        raise ConfigError(
            "--write",
            topic.name,
            "a topic file of your own; this one comes with topicspider",
            "Set TOPICSPIDER_TOPICS_DIR to a folder of yours, and it is copied there; or use --save FILE",
        )
    return Path(str(topic_dirs(topics_dir)[0])) / path.name


def _is_packaged(path: Path) -> bool:
    """Whether it lies in the installed package, which an update replaces."""
    import topicspider

    return Path(topicspider.__file__).resolve().parent in path.resolve().parents


def _write(path: Path, content: bytes, like: Path) -> None:
    """At once or not at all, with the rights that the file had."""
    try:
        atomic_write(path, content, stat.S_IMODE(like.stat().st_mode))
    except OSError as error:
        raise ConfigError("--write", str(path), "a file that can be written", error.strerror or "") from None
