"""The two crawls of ``scrapy demo`` over a made web, focused and breadth-first, compared against the truth."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.cli.command import INTERRUPTED
from topicspider.defaults import setting_name, without_settings
from topicspider.errors import ConfigError, TopicSpiderError
from topicspider.rehearsal.replay.process import package_environment, replay_process
from topicspider.rehearsal.replay.request_log import Harvest, count_harvest, read_log
from topicspider.text.terminal import table

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.rehearsal.synthetic.web import SyntheticWeb

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
    words_zh: str
    words_en: str
    settings: tuple[tuple[str, str], ...] = ()

    def words(self, *, chinese: bool) -> str:
        """What it is called on the screen."""
        return self.words_zh if chinese else self.words_en


RUNS = (
    Run("focused", "主题爬行", "focused"),
    Run("breadth-first", "广度优先", "breadth-first", ((setting_name("link_policy"), "bfs"),)),
)


def crawl(run: Run, folder: Path, web: str, pages: int, settings: list[str]) -> int:
    """Crawl ``web`` through a replay server, in a process that has the terminal; returns 0 or INTERRUPTED.

    ``settings``: NAME=VALUE for the crawl. Raises TopicSpiderError when the crawl fails.
    """
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
            f"the {run.words_en} crawl of the demo failed with exit code {code}; what it said stands above"
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

    def is_on_topic(url: str) -> bool | None:
        truth = web.truth(url)
        return None if truth is None or truth.kind == "redirect" else TOPIC in truth.topics

    return count_harvest(read_log(own / "requests.jsonl"), is_on_topic)


def comparison(harvests: list[Harvest], *, chinese: bool) -> str:
    """The runs side by side, at most 80 columns wide."""
    names = ("抓取页数", "旅游页数", "收获率", "最后百页收获率", "主机数", "有旅游页的主机", "用时（秒）")
    if not chinese:
        names = (
            "pages fetched",
            "on tourism",
            "harvest rate",
            "of the last 100",
            "hosts",
            "hosts with tourism",
            "seconds",
        )
    columns = [
        (
            f"{one.pages:,}",
            f"{one.on_topic:,}",
            f"{one.rate:.0%}",
            f"{one.last_rate:.0%}",
            f"{one.hosts:,}",
            f"{one.hosts_on_topic:,}",
            f"{one.seconds:.0f}",
        )
        for one in harvests
    ]
    rows = [("", *(run.words(chinese=chinese) for run in RUNS))]
    rows += [(name, *(column[i] for column in columns)) for i, name in enumerate(names)]
    title = (
        "对照：以虚拟网站的真实主题为准" if chinese else "Compared by what each page of the made web really is about"
    )
    return f"\n{title}\n{table(rows, right=(1, 2))}"


def closing(own: Path, *, chinese: bool) -> str:
    """Where the hits are, and what to type next."""
    file = own / "hits.jsonl"
    if chinese:
        return f"\n命中的页面（每行一个 JSON）：{file}\n  看前三条：head -n 3 {_quoted(file)}\n接下来抓真实网站：scrapy crawl topic -a topic={TOPIC} -a max_pages=200"
    return f"\nThe hits, one JSON object a line: {file}\n  the first three: head -n 3 {_quoted(file)}\nNext, the real web: scrapy crawl topic -a topic={TOPIC} -a max_pages=200"


def opening(run: Run, pages: int, size: int, *, chinese: bool) -> str:
    if chinese:
        return f"\n== {run.words_zh}：在 {size:,} 页的虚拟网站上抓 {pages} 页，主题：旅游"
    return f"\n== {run.words_en}: {pages} pages of a made web of {size:,}, topic {TOPIC}"


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
