"""``scrapy demo``: crawls a simulated web, once focused and once breadth-first, and compares both with the truth."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING

from topicspider.cli.command import INTERRUPTED, CliCommand, whole_number
from topicspider.cli.crawl_data import DEMO, FRONTIER, STORE, crawl_folders, is_demo
from topicspider.errors import ConfigError, TopicSpiderError
from topicspider.frontier.sqlite.file import holder_of
from topicspider.i18n import N_, as_typed, shell_word
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.rehearsal.replay.request_log import Harvest, count_harvest, read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.setting_names import package_environment, without_settings
from topicspider.setting_rules import setting_name
from topicspider.store.location import open_store
from topicspider.text.terminal import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings

    from topicspider.rehearsal.synthetic.web import SyntheticWeb

SYNTAX = "[--pages N] [--made SPEC] [--serve]"
ABOUT = "Needs no network: the web is simulated by this program, which therefore knows what every page is about."
TOPIC = "tourism"
SEED = "http://start.made.example/"
QUERY = "门票 住宿"  # both words are on many pages of the topic, so they are found even among few pages
FOCUSED, BREADTH_FIRST = N_("focused"), N_("breadth-first")
# A simulated web has no server to protect, so crawls of it do not wait; crawls of the real web keep their delays.
USUAL = {
    setting_name("delay_min"): "0",
    setting_name("delay_factor"): "0",
    setting_name("delay_max"): "0",
    setting_name("snapshots"): "hits",
    "STATS_DUMP": "0",
}
RUNS = {FOCUSED: USUAL, BREADTH_FIRST: {**USUAL, "LOG_LEVEL": "WARNING", setting_name("link_policy"): "bfs"}}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", default="300", metavar="N", help="how many pages each crawl fetches (default 300)")
    parser.add_argument("--made", default="", metavar="SPEC", help="the simulated web as pages=N,hosts=N,seed=N,topic=NAME,topic_hosts=N,classes=N (default 80000 pages of 800 hosts)")  # fmt: skip
    parser.add_argument("--serve", action="store_true", help="show it as a web page, which goes on until Ctrl-C")


def run(command: CliCommand, _args: list[str], opts: argparse.Namespace) -> int:
    from topicspider.rehearsal.synthetic.web import SyntheticWeb

    pages = whole_number("--pages", opts.pages, 10**6)
    web = SyntheticWeb.read(opts.made)
    data = Path(str(command.settings.get(setting_name("data"), "data"))).expanduser().absolute()
    signal.signal(signal.SIGTERM, lambda *_said: sys.exit(128 + signal.SIGTERM))  # so that its child processes end, too
    with _page_beside(data, opts.made) if opts.serve else nullcontext():
        return _compared(data / "demo", web, pages, opts, command.settings)


@contextmanager
def _page_beside(data: Path, made: str) -> Iterator[None]:
    """Serve the web page during the block and then until Ctrl-C. Its crawls use a simulated web of their own; all of them end with it."""
    from topicspider.extensions.control import start_web_page

    said: list[str] = []
    given = [f"{name}={value}" for name, value in {**USUAL, setting_name("seeds"): SEED}.items()]
    with (
        replay_process(f"made:{made}") as proxy_url,
        start_web_page(data, subprocess.PIPE, given, _proxies(proxy_url)) as page,
    ):
        Thread(target=_pass_on, args=(page.stdout, said), daemon=True).start()
        try:
            yield
            print(_("\nThe page goes on until Ctrl-C."), *said[:2], sep="\n", flush=True)
            page.wait()
        except KeyboardInterrupt:
            pass
        finally:
            page.terminate()
            _end_crawls(data / DEMO)


def _end_crawls(folder: Path) -> None:
    """Ask crawls that still run to end, and wait up to 10 s for them: their simulated web is about to end."""
    deadline = time.monotonic() + 10.0
    files = list(folder.glob(f"*/{FRONTIER}"))
    for holder in filter(str.isdigit, map(holder_of, files)):
        with suppress(ProcessLookupError):
            os.kill(int(holder), signal.SIGTERM)
    while any(map(holder_of, files)) and time.monotonic() < deadline:
        time.sleep(0.1)


def _pass_on(stream: IO[str], said: list[str]) -> None:
    for line in stream:
        said.append(line.rstrip())
        sys.stderr.write(line)


def _compared(folder: Path, web: SyntheticWeb, pages: int, opts: argparse.Namespace, settings: BaseSettings) -> int:
    """Run both crawls and print how they compare; returns the exit code."""
    harvests = []
    for name in RUNS:
        values = {"run": _(name), "pages": pages, "size": len(web), "topic": TOPIC}
        print(_("\n== {run}: {pages} pages of a simulated web of {size:,}, topic {topic}", **values), flush=True)
        if crawl(name, folder / name, f"made:{opts.made}", pages, opts.set) == INTERRUPTED:
            print(as_typed(_("stopped; `scrapy demo` begins anew")))
            return INTERRUPTED
        harvests.append(judge(folder / name, web))
    print(comparison(harvests, [judged(folder / name) for name in RUNS]))
    print(as_typed(_advice(folder, Options.read(settings))))
    return 0


def _advice(folder: Path, options: Options) -> str:
    """What to type next; the data folder is named only if ``hits`` would search another crawl without it."""
    here = Path.cwd()
    data = folder / FOCUSED
    shown = data.relative_to(here) if data.is_relative_to(here) else data
    others = [other for other in crawl_folders(options) if not is_demo(other)]
    where = f"-s {setting_name('data')}={shell_word(str(shown))} " if others else ""
    return _(
        "\nThe hits and their copies, one JSON object a line:\n  head -n 3 {file}\n"
        "Search the hits:\n  scrapy hits {where}{query}\n"
        "Next, the real web:\n  scrapy crawl topic -a topic={topic} -a max_pages=200",
        file=shell_word(str(shown / "hits.jsonl")),
        where=where,
        query=QUERY,
        topic=TOPIC,
    )


def crawl(name: str, folder: Path, web: str, pages: int, settings: list[str]) -> int:
    """Crawl ``web`` anew through a replay server, in a process that uses the terminal; 0 or INTERRUPTED; raises TopicSpiderError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        allowed = _("a folder that can be written ({why})", why=error.strerror)
        raise ConfigError(setting_name("data"), str(folder), allowed) from None
    if not holder_of(folder / TOPIC / FRONTIER):  # if another process has it, the crawl reports that
        shutil.rmtree(folder / TOPIC, ignore_errors=True)
    command = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={SEED}"]
    command += ["-a", f"max_pages={pages}", "-a", "fresh=1", "-O", f"{folder / 'hits.jsonl'}"]
    usual = [f"{setting}={value}" for setting, value in RUNS[name].items()]
    for setting in (*usual, *settings, f"{setting_name('data')}={folder}"):
        command += ["-s", setting]
    with replay_process(web, "--log", str(folder / "requests.jsonl")) as proxy_url:
        code = _wait(subprocess.Popen(command, env=_environment(proxy_url)))  # noqa: S603
    if code in (0, INTERRUPTED):
        return code
    raise TopicSpiderError(
        _("the {name} crawl of the demo failed with exit code {code}; what it said stands above", name=name, code=code)
    )


def judge(folder: Path, web: SyntheticWeb) -> Harvest:
    """What a crawl found, judged by the truth of the simulated web and not by our own scorer."""

    def is_on_topic(url: str) -> bool | None:
        truth = web.truth(url)
        return None if truth is None or truth.kind == "redirect" else TOPIC in truth.topics

    return count_harvest(read_log(folder / "requests.jsonl"), is_on_topic)


def judged(folder: Path) -> list[int]:
    """How many hits, copies of hits and lists of links the crawl judged to be on topic; [] if its store is elsewhere."""
    path = folder / TOPIC / STORE
    if not path.exists():
        return []
    with closing(open_store("", path)) as store:
        totals = json.loads(store.crawls(TOPIC, 1)[0].totals)
    return [totals[kind] for kind in ("hits", "copies", "lists")]


def comparison(harvests: Sequence[Harvest], counts: Sequence[Sequence[int]]) -> str:
    """A table of the runs side by side, at most 80 columns wide; ``counts`` are the results of ``judged`` for each run."""
    kinds = (_("  hits, which `hits` searches"), _("  copies of hits"), _("  lists of links"))
    rows = [
        ("", *map(_, RUNS)),
        (_("pages fetched"), *(f"{harvest.pages:,}" for harvest in harvests)),
        (_("on topic, as the crawl judged"), *(f"{sum(some):,}" for some in counts)),
        *((kind, *(f"{number:,}" for number in numbers)) for kind, *numbers in zip(kinds, *counts, strict=False)),
        (_("on topic, in truth"), *(f"{harvest.on_topic:,}" for harvest in harvests)),
        (_("  of all pages"), *(f"{harvest.rate:.0%}" for harvest in harvests)),
        (_("  of the last 100"), *(f"{harvest.last_rate:.0%}" for harvest in harvests)),
        (_("hosts"), *(f"{harvest.hosts:,}" for harvest in harvests)),
        (_("  with pages on topic"), *(f"{harvest.hosts_on_topic:,}" for harvest in harvests)),
        (_("seconds"), *(f"{harvest.seconds:.0f}" for harvest in harvests)),
    ]
    return f"\n{table(rows, right=(1, 2))}"


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit code of ``process``. Ctrl-C also reaches the crawl, which then ends by itself; SIGTERM must be passed on."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        _wait(process)
        return INTERRUPTED
    except SystemExit:
        process.terminate()
        process.wait()
        raise


def _environment(proxy_url: str) -> dict[str, str]:
    return {
        "SCRAPY_SETTINGS_MODULE": "topicspider.settings",
        **without_settings(package_environment()),
        **_proxies(proxy_url),
        "TOPICSPIDER_COMMAND": "",  # nobody typed this crawl, so it must not print a command to go on with it
    }


def _proxies(proxy_url: str) -> dict[str, str]:
    """Environment variables that send all requests of a process to the simulated web."""
    names = dict.fromkeys(("http_proxy", "https_proxy"), proxy_url)
    names |= dict.fromkeys(("no_proxy", "all_proxy"), "")
    return {**names, **{name.upper(): value for name, value in names.items()}}
