"""numpy and scipy count in one thread wherever topicspider is, unless somebody says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from topicspider import blas_threads

COUNT = """
from {module} import {name}
import scipy.linalg
from threadpoolctl import threadpool_info
print(sorted({{library["num_threads"] for library in threadpool_info() if library["internal_api"] == "openblas"}}))
"""
IMPORTED_FIRST = [
    ("topicspider.settings", "ADDONS"),
    ("topicspider.addon", "TopicSpiderAddon"),
    ("topicspider.crawl_components", "CrawlComponents"),
]


def threads(module: str, name: str, **environment: str) -> str:
    given = {key: value for key, value in os.environ.items() if key not in (blas_threads.NAME, "OMP_NUM_THREADS")}
    command = [sys.executable, "-c", COUNT.format(module=module, name=name)]
    return subprocess.run(command, env=given | environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("module", "name"), IMPORTED_FIRST)
def test_every_door_has_them_count_in_blas_threads(module: str, name: str) -> None:
    assert threads(module, name) == "[1]"


@pytest.mark.parametrize("variable", [blas_threads.NAME, "OMP_NUM_THREADS"])
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one core only")
def test_a_number_in_the_environment_wins(variable: str) -> None:
    assert threads(*IMPORTED_FIRST[0], **{variable: "2"}) == "[2]"
