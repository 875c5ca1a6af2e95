"""Runs the cases of tests/hostile in crawls of topicspider and of plain Scrapy, beside one good host: what each survives, at what cost.

    python -m benchmarks.crawl.hostile [--only FAMILY ...] [--seconds 300]

Prints a line for each family: good pages of six, tracebacks in the log, lines of the log, seconds, largest memory, the
longest time for which the event loop was blocked (seconds), exit code. Plain Scrapy follows every link with
robots.txt obeyed and the same number of attempts. Ends with 1 when topicspider missed a good page or had a traceback.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support.crawling import Ended, crawl, environment, scrapy
from support.hostile_cases import FAMILIES, GOOD, SETTINGS, hostile_web
from support.loop_watch import LONGEST, SETTING

SEED = "http://good.example/p0.html"
SPIDER = f"""
import scrapy
class Plain(scrapy.Spider):
    name = "plain"
    start_urls = ["{SEED}"]
    custom_settings = {{"ROBOTSTXT_OBEY": True, "RETRY_ENABLED": False, "DOWNLOAD_TIMEOUT": 10, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "COOKIES_ENABLED": False}}
    def parse(self, response):
        yield {{"url": response.url, "title": response.css("title::text").get(), "text": " ".join(response.css("p::text").getall())}}
        yield from response.follow_all(css="a")
"""
HEAD = "| family | cases | crawler | good pages | tracebacks | lines of log | s | MB | stall s | exit |"


@dataclass(frozen=True, slots=True)
class Result:
    """``good``: how many pages of the good host were requested and answered."""

    good: int
    tracebacks: int
    lines: int
    seconds: float
    megabytes: int
    stall: float
    exit_code: int

    @property
    def is_bad(self) -> bool:
        return self.good < GOOD or self.tracebacks > 0 or self.exit_code != 0


def main() -> int:
    options = _options()
    print(HEAD, "|" + "---|" * (HEAD.count("|") - 1), sep="\n")
    bad = False
    for family in options.only:
        cases = list(FAMILIES[family]())
        for name in ("topicspider", "scrapy"):
            with tempfile.TemporaryDirectory() as folder, hostile_web(cases) as web:
                try:
                    result = _result(_run(name, Path(folder), web.proxy, options.seconds), web.pages())
                except AssertionError:
                    result = Result(-1, 0, 0, options.seconds, 0, 0.0, -1)  # it did not end
            bad |= name == "topicspider" and result.is_bad
            cells = [
                family,
                len(cases),
                name,
                result.good,
                result.tracebacks,
                result.lines,
                round(result.seconds),
                result.megabytes,
                result.stall,
                result.exit_code,
            ]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return int(bad)


def _run(name: str, folder: Path, proxy: str, seconds: float) -> Ended:
    if name == "topicspider":
        return crawl(folder, proxy, "-O", "hits.csv", *SETTING, seeds=SEED, timeout=seconds, **SETTINGS)
    (folder / "plain.py").write_text(SPIDER, "utf-8")
    plain = environment(proxy, SCRAPY_SETTINGS_MODULE="")
    return scrapy(
        ["runspider", "plain.py", "-O", "pages.csv", "-s", "LOG_LEVEL=INFO", *SETTING], folder, plain, timeout=seconds
    )


def _result(ended: Ended, asked: list[str]) -> Result:
    memory = re.findall(r"'memusage/max': (\d+)", ended.err) or ["0"]
    good = len({url for url in asked if url.startswith("http://good.example/p")})
    stall = float((re.findall(rf"'{LONGEST}': ([\d.]+)", ended.err) or ["0"])[-1])
    tracebacks, lines = ended.err.count("Traceback"), ended.err.count("\n")
    return Result(good, tracebacks, lines, ended.seconds, int(memory[-1]) >> 20, stall, ended.exit_code)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--seconds", type=float, default=300.0, help="what a crawl may take")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
