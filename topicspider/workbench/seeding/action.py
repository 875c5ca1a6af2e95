"""``scrapy topics seeds``: candidates for where a crawl begins, scored, checked, and kept by keys or by number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.errors import ConfigError, UnavailableError, one_line
from topicspider.text.terminal import fit, table, wrap
from topicspider.workbench.action import Action, Desk
from topicspider.workbench.questions import ask, typed_keys
from topicspider.workbench.seeding.candidates import MOST, of_hits, of_results, scored

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.cli.pages import LocalPage
    from topicspider.workbench.bench import Bench
    from topicspider.workbench.seeding.candidates import Candidate

HITS = "hits"
_FROM = "RESULTS.html, a URL, or hits and words"
_SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d{4}\)(\S+) -->")  # how browsers note the address of a saved page
_LOOKED_AT = 3000  # bytes


def _run(args: Sequence[str], opts: argparse.Namespace, desk: Desk) -> int:
    from topicspider.workbench.bench import open_bench
    from topicspider.workbench.seeding.reaching import checked

    most = _most(opts.top)
    bench = open_bench(args[0], desk.options)
    known = set(bench.profile.topic.seeds)
    found = [one for one in _candidates(opts.source, bench, desk) if one.url not in known]
    if not found:
        print("没有找到候选网址" if desk.chinese else "no candidates were found")
        return 1
    found = checked(found, desk.options, desk.agent)
    print(_listed(found, desk))
    good = [one for one in found if not one.trouble]
    kept = good[:most] if most else _chosen(good, desk)
    print()
    if not kept:
        print("一个也没有留下" if desk.chinese else "none was kept")
        return 0
    print("\n".join(one.url for one in kept))
    print()
    for line in _closing([one.url for one in kept], opts, bench, desk):
        print(line)
    return 0


def _candidates(source: Sequence[str], bench: Bench, desk: Desk) -> list[Candidate]:
    from topicspider.cli.crawl_data import every_store
    from topicspider.cli.pages import PageReader

    if not source:
        raise ConfigError("--from", None, _FROM)
    if source[0] == HITS:
        if len(source) == 1:
            raise ConfigError("--from", HITS, "hits and the words to look for", "As in --from hits 古镇 攻略")
        with every_store(desk.options) as stores:
            return of_hits(stores, " ".join(source[1:]), bench)
    if len(source) > 1:
        raise ConfigError("--from", " ".join(source), f"one of: {_FROM}")
    local = _page(source[0], desk)
    reader = PageReader(desk.options, bench.segmenter)
    try:
        page, trouble = reader.page(local)
    finally:
        reader.close()
    if page is None or trouble:
        raise UnavailableError(source[0], f"could not be read: {trouble}")
    return scored(of_results(page.url, page.links), bench)


def _page(source: str, desk: Desk) -> LocalPage:
    from topicspider.cli.pages import LocalPage, pages_in
    from topicspider.url.canonical import canonicalize

    if "://" in source[:30]:
        url = canonicalize(source)
        if url is None:
            raise ConfigError("--from", source, _FROM)
        return desk.fetch([url])[0]
    local = next(iter(pages_in(Path(source), desk.options.max_bytes)), None)
    if local is None:
        raise ConfigError("--from", source, _FROM, "There is no page in it")
    note = _SAVED_FROM.search(local.body[:_LOOKED_AT])
    address = canonicalize(note[1].decode("utf-8", "replace")) if note and not local.url else None
    return (
        LocalPage(local.file, address, local.body, local.content_type, local.fetched_on, local.trouble)
        if address
        else local
    )


def _listed(found: Sequence[Candidate], desk: Desk) -> str:
    """Every candidate with its score, and what keeps a crawl from it."""
    rows = [(f"{one.score:.3f}", fit(one_line(one.title) or "-", 26), one_line(unquote(one.url))) for one in found]
    lines = [f"{len(found)} 个候选" if desk.chinese else f"{len(found)} candidates"]
    for one, row in zip(found, table(rows, right=(0,), columns=desk.columns).split("\n"), strict=True):
        lines.append(row)
        if one.trouble:
            lines.append(fit(f"       !! {one.trouble}", desk.columns))
    return "\n".join(lines)


def _chosen(found: Sequence[Candidate], desk: Desk) -> list[Candidate]:
    cards = [_card(one, desk) for one in found]
    with typed_keys() as keys:
        answers = ask(cards, keys, chinese=desk.chinese)
    return [one for one, answer in zip(found, answers, strict=True) if answer]


def _card(one: Candidate, desk: Desk) -> str:
    lines = [one_line(one.title), f"{one.score:.3f}  {one_line(unquote(one.url))}"]
    return "\n".join(
        [fit(line, desk.columns) for line in lines if line] + wrap(one_line(one.snippet, 200), desk.columns)[:2]
    )


def _closing(urls: list[str], opts: argparse.Namespace, bench: Bench, desk: Desk) -> list[str]:
    """Write them down as asked for, and say what to do with them."""
    from topicspider.workbench.seeding.topic_file import add_seeds

    topic, lines = bench.view.topic, []
    if opts.save:
        path = _save(opts.save, urls)
        use = f"scrapy crawl topic -a topic={topic} -a seeds=@{path}"
        lines.append(f"{'写入' if desk.chinese else 'written to'} {path}: {use}")
    if opts.write:
        path = add_seeds(bench.profile.topic, urls, desk.options.topics_dir)
        lines.append(f"{len(urls)} 个种子已加入 {path}" if desk.chinese else f"{len(urls)} seeds were added to {path}")
    if not lines:
        more = (
            "--write 加入主题文件，或 --save FILE"
            if desk.chinese
            else "--write adds them to the topic's file, --save FILE"
        )
        lines.append(f"{more}: scrapy crawl topic -a topic={topic} -a seeds=@FILE")
    return lines


def _save(name: str, urls: list[str]) -> Path:
    path = Path(name).expanduser()
    try:
        path.write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise ConfigError("--save", name, "a file that can be written", why) from None
    return path


def _most(text: str) -> int:
    """0 asks."""
    if text and not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MOST):
        raise ConfigError("--top", text, f"a whole number from 1 to {MOST}")
    return int(text or 0)


def _options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--from", dest="source", nargs="+", default=[], metavar="SOURCE", help=f"where candidates come from: {_FROM}")
    add("--top", default="", metavar="N", help="keep the N best that can be reached, without asking")
    add(
        "--write",
        action="store_true",
        help="add what is kept to the `seeds:` of the topic's file; the rest of it stays as it is",
    )
    add("--save", default="", metavar="FILE", help="write what is kept to FILE, for -a seeds=@FILE")


ACTION = Action(
    "seeds",
    "seeds NAME --from RESULTS.html|URL|hits WORDS [--top N] [--write] [--save FILE]",
    f"`seeds NAME --from SOURCE` takes up to {MOST} candidates from a page of search results (saved, or at a URL) or from stored hits with all the "
    "given words, scores them, checks that they can be reached and that robots.txt allows them, and keeps those you answer y for (or the best "
    "N).",
    lambda args: "" if len(args) == 1 else "seeds takes one topic, then --from",
    _run,
    _options,
)
