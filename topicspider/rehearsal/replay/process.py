"""Runs a replay server in a process of its own, for as long as a block of code lasts."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import topicspider
from topicspider.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_READY = "replay: http://"
_END_SECONDS = 10.0


@contextmanager
def replay_process(web: str, *options: str) -> Iterator[str]:
    """Serve ``web`` with the options of ``replay``; yields the proxy's URL. Raises UnavailableError if it does not start."""
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "topicspider.rehearsal", web, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=package_environment(),
        start_new_session=True,  # Ctrl-C is for the crawl; the server ends with the block
    )
    try:
        yield _proxy_url(process, options)
    finally:
        _end(process)


def package_environment() -> dict[str, str]:
    """The environment in which a child process finds this package, from whatever folder it is started."""
    folder = str(Path(topicspider.__file__).parent.parent)
    paths = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _proxy_url(process: subprocess.Popen[str], options: Sequence[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith(_READY):
        _rest, errors = process.communicate(timeout=_END_SECONDS)
        raise UnavailableError(
            "the replay server did not start", (line + errors).strip() or "it said nothing", " ".join(options)
        )
    return line.split()[1]


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
