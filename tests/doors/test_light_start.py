"""Scrapy imports every command for each one that is typed, and every spider for a list of them: neither brings the rest along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.crawling import environment

COMMANDS = sorted(
    path.stem for path in (Path(__file__).parents[2] / "topicspider/commands").glob("*.py") if path.stem != "__init__"
)
LEAVES = {
    "topicspider.cli.command", "topicspider.options",
    "topicspider.errors", "topicspider.frontier.heartbeat", "topicspider.i18n", "topicspider.json_log",
    "topicspider.blas_threads", "topicspider.modes", "topicspider.recrawl", "topicspider.scrapy_settings", "topicspider.search", "topicspider.setting_names", "topicspider.setting_rules",
    "topicspider.settings",
    "topicspider.steering.stop_rule",
}  # fmt: skip
"""What commands may import at their tops: modules that name what an option takes, and import no others but such."""
LIBRARIES = (
    "aiohttp", "gensim", "jieba", "numpy", "playwright", "pymysql", "redis", "rjieba", "scipy", "selectolax", "trafilatura",
    "yaml",
)  # fmt: skip
WITH_TOPIC_FILES = ("store", "topics")  # the help of their actions is in modules that read them
HEAVY_MODULES = (
    "topicspider.crawl_components",
    "topicspider.judging",
    "topicspider.page.page",
    "topicspider.cli.preflight",
    "topicspider.crawled_page",
)
PROGRAM = """
import contextlib, io, json, sys
from scrapy.cmdline import execute

loaded = {}
for command in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(said):
        execute(["scrapy", *command.split()])
    loaded[command] = [said.getvalue(), *sys.modules]
print(json.dumps(loaded))
"""


def loaded_by(folder: Path, *commands: str) -> dict[str, tuple[str, set[str]]]:
    """What each of some commands, run one after the other in one process, says, and what is loaded then."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return {command: (said, set(names)) for command, (said, *names) in json.loads(ended.stdout).items()}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> dict[str, tuple[str, set[str]]]:
    """In the order of what they need: what one has loaded, the next has, too."""
    helps = [f"{command} --help" for command in COMMANDS]
    return loaded_by(tmp_path_factory.mktemp("light"), "--help", *helps, "topics list", "list")


def test_what_scrapy_imports_to_find_the_commands_is_next_to_nothing(loaded):
    said, names = loaded["--help"]
    assert all(f"  {command} " in said for command in COMMANDS)
    packages = {leaf.rpartition(".")[0] for leaf in LEAVES} | {"topicspider.cli"}
    ours = {name for name in names if name.startswith("topicspider.")} - LEAVES - packages
    assert ours == {"topicspider.commands", *(f"topicspider.commands.{command}" for command in COMMANDS)}
    assert not names.intersection(LIBRARIES)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_needs_no_library(loaded, command):
    """Of several that fail it is the first that loads what it should not."""
    said, names = loaded[f"{command} --help"]
    assert f"scrapy {command}" in said
    assert names.intersection((*LIBRARIES, *HEAVY_MODULES)) <= ({"yaml"} if command in WITH_TOPIC_FILES else set())


def test_topics_and_spiders_are_listed_without_what_reads_and_judges_pages(loaded):
    said, names = loaded["topics list"]
    assert "tourism" in said
    assert names.intersection((*LIBRARIES, *HEAVY_MODULES)) == {"yaml"}
    said, names = loaded["list"]
    assert said == "topic\n"
    assert "topicspider.spiders.topic" in names
    assert not names.intersection({*LIBRARIES, *HEAVY_MODULES} - {"yaml"})


BUILT = """
import sys
from topicspider.crawl_components import CrawlComponents
from topicspider.crawl_config import CrawlConfig

memory = {"TOPICSPIDER_TOPIC": "tourism", "TOPICSPIDER_STORE": "memory:", "TOPICSPIDER_FRONTIER": "memory:"}
CrawlComponents(CrawlConfig.read(memory)).close()
print(*sorted({"aiohttp.web", "gensim", "jieba", "prometheus_client", "scipy"} & {*sys.modules}))
"""


def test_a_crawl_begins_before_what_its_fits_need_is_loaded(tmp_path):
    for _once_to_fill_the_cache in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", BUILT], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
        )
    assert ended.stdout == "\n"
