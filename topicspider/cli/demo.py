"""``scrapy demo``: crawls a made web, focused and breadth-first, and compares the two against the truth."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.cli.command import INTERRUPTED, whole_number
from topicspider.errors import ConfigError, TopicSpiderError
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.setting_names import without_settings
from topicspider.setting_rules import setting_name
from topicspider.text.terminal import table

if TYPE_CHECKING:
    import argparse

    from topicspider.cli.command import CliCommand
    from topicspider.rehearsal.replay.request_log import Harvest
    from topicspider.rehearsal.synthetic.web import SyntheticWeb

SYNTAX = "[--pages N] [--made SPEC]"
ABOUT = "Needs no network: the web is made up by this program, which therefore knows what every page is about."
TOPIC = "tourism"
SEED = "http://start.made.example/"
# A made web has no server that could be hurt; on the real web these stay as they are.
WITHOUT_RESTS = {setting_name("delay_min"): "0", setting_name("delay_factor"): "0"}
# The comparison says what is worth reading of both crawls, and the first has shown what one says while it runs.
QUIET, QUIETER = {"STATS_DUMP": "0"}, {"LOG_LEVEL": "WARNING"}


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of the demo: its ``name`` is its folder's, ``settings`` are its own."""

    name: str
    label: str
    settings: tuple[tuple[str, str], ...] = ()


RUNS = (
    Run("focused", N_("focused")),
    Run("breadth-first", N_("breadth-first"), ((setting_name("link_policy"), "bfs"),)),
)
ROWS = (
    N_("pages fetched"),
    N_("on tourism"),
    N_("harvest rate"),
    N_("of the last 100"),
    N_("hosts"),
    N_("hosts with tourism"),
    N_("seconds"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", default="300", metavar="N", help="how many pages each crawl fetches (default 300)")
    parser.add_argument("--made", default="", metavar="SPEC", help="the made web as pages=N,hosts=N,seed=N,topic=NAME,topic_hosts=N (default 80000 pages of 800 hosts)")  # fmt: skip


def run(command: CliCommand, _args: list[str], opts: argparse.Namespace) -> int:
    """Crawl twice, then compare."""
    from topicspider.rehearsal.synthetic.web import SyntheticWeb

    assert command.settings is not None
    pages = whole_number("--pages", opts.pages, 10**6)
    web = SyntheticWeb.read(opts.made)
    data = Path(str(command.settings.get(setting_name("data"), "data")))
    folder = data.expanduser().absolute() / "demo"
    make_folder(folder)
    harvests = []
    for run in RUNS:
        values = {"run": _(run.label), "pages": pages, "size": len(web), "topic": TOPIC}
        print(_("\n== {run}: {pages} pages of a made web of {size:,}, topic {topic}", **values), flush=True)
        if crawl(run, folder, f"made:{opts.made}", pages, opts.set) == INTERRUPTED:
            return INTERRUPTED
        harvests.append(judge(folder / run.name, web))
    print(comparison(harvests))
    print(closing(folder / RUNS[0].name))
    return 0


def crawl(run: Run, folder: Path, web: str, pages: int, settings: list[str]) -> int:
    """Crawl ``web`` through a replay server, in a process that has the terminal; returns 0 or INTERRUPTED.

    ``settings``: NAME=VALUE for the crawl. Raises TopicSpiderError when the crawl fails.
    """
    from topicspider.rehearsal.replay.server import replay_process

    own = folder / run.name
    own.mkdir(exist_ok=True)
    with replay_process(web, "--log", str(own / "requests.jsonl")) as proxy_url:
        try:
            code = _wait(subprocess.Popen(crawl_command(run, own, pages, settings), env=_environment(proxy_url)))  # noqa: S603
        except OSError as error:
            raise TopicSpiderError(f"the crawl could not be started: {error}") from None
    if code == INTERRUPTED:
        return code
    if code != 0:
        raise TopicSpiderError(
            f"the {run.name} crawl of the demo failed with exit code {code}; what it said stands above"
        )
    return 0


def crawl_command(run: Run, own: Path, pages: int, settings: list[str]) -> list[str]:
    """The command line of a crawl, as a user could type it."""
    command = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={SEED}"]
    command += ["-a", f"max_pages={pages}", "-a", "fresh=1", "-O", f"{own / 'hits.jsonl'}"]
    quiet = QUIET if run is RUNS[0] else QUIET | QUIETER
    fixed = {setting_name("data"): str(own)} | dict(run.settings)
    for setting in [*_pairs(WITHOUT_RESTS | quiet), *settings, *_pairs(fixed)]:
        command += ["-s", setting]
    return command


def _pairs(settings: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in settings.items()]


def judge(own: Path, web: SyntheticWeb) -> Harvest:
    """What a crawl found, by the truth of the made web, not by our own scorer."""
    from topicspider.rehearsal.replay.request_log import count_harvest, read_log

    def is_on_topic(url: str) -> bool | None:
        truth = web.truth(url)
        return None if truth is None or truth.kind == "redirect" else TOPIC in truth.topics

    return count_harvest(read_log(own / "requests.jsonl"), is_on_topic)


def comparison(harvests: list[Harvest]) -> str:
    """The runs side by side, at most 80 columns wide."""
    columns = [
        (
            f"{harvest.pages:,}",
            f"{harvest.on_topic:,}",
            f"{harvest.rate:.0%}",
            f"{harvest.last_rate:.0%}",
            f"{harvest.hosts:,}",
            f"{harvest.hosts_on_topic:,}",
            f"{harvest.seconds:.0f}",
        )
        for harvest in harvests
    ]
    rows = [("", *(_(run.label) for run in RUNS))]
    rows += [(_(label), *values) for label, *values in zip(ROWS, *columns, strict=True)]
    title = _("Compared by what each page of the made web really is about")
    return f"\n{title}\n{table(rows, right=(1, 2))}"


def closing(own: Path) -> str:
    """Where the hits are, and what to type next."""
    file = own / "hits.jsonl"
    return _(
        "\nThe hits, one JSON object a line: {file}\n  the first three: head -n 3 {quoted}\n"
        "Next, the real web: scrapy crawl topic -a topic={topic} -a max_pages=200",
        file=file,
        quoted=_quoted(file),
        topic=TOPIC,
    )


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit code. Ctrl-C reaches the crawl too, which then ends by itself."""
    interrupted = False
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            interrupted = True
        else:
            return INTERRUPTED if interrupted else code


def _environment(proxy_url: str) -> dict[str, str]:
    from topicspider.rehearsal.replay.server import package_environment

    environment = without_settings(package_environment())
    for name in ("http_proxy", "https_proxy"):
        environment[name] = environment[name.upper()] = proxy_url
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        environment.pop(name, None)
    environment.setdefault("SCRAPY_SETTINGS_MODULE", "topicspider.settings")
    return environment


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            setting_name("data"), str(folder.parent), f"a folder that can be written ({error.strerror})"
        ) from None
    if not os.access(folder, os.W_OK):
        raise ConfigError(setting_name("data"), str(folder.parent), "a folder that can be written")


def _quoted(path: Path) -> str:
    return f"'{path}'" if " " in str(path) else str(path)
