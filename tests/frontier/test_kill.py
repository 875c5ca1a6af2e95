"""kill -9 at any moment loses nothing that was confirmed (promises F1, F3, F8), and never the file."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from topicspider.frontier.protocol import End
from topicspider.frontier.sqlite.frontier import SqliteFrontier

CRAWLER = """
import random, sys
from pathlib import Path
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier

first = int(sys.argv[2])
frontier = SqliteFrontier(Path(sys.argv[1]), attempts=2, max_pages=100_000)
rng = random.Random(first)
print("counts", *(getattr(frontier.counts(), name) for name in ("queued", "leased", "done", "dead", "pages")), flush=True)
for page in range(1_000_000):
    numbers = [first + page * 20 + n for n in range(20)]
    entries = [Entry(f"http://{n % 97}.example/{n}", n, f"{n % 97}.example", rng.random()) for n in numbers]
    leases = frontier.acquire("crawler", 4, 3, 60).leases
    leased = [(one.fingerprint, lease) for lease in leases for one in lease.entries]
    print("leased", *(number for number, _ in leased), flush=True)
    done = [Completion(n, lease.host, lease.token, rng.choice([End.PAGE, End.PAGE, End.NO_PAGE, End.FAILED, End.RELEASED])) for n, lease in leased]
    print("telling", page, flush=True)
    frontier.apply(Work(done, entries, timings={"1.example": HostTiming(0.001, 0.1, 0.1)}))
    print("told", page, *(f"{one.fingerprint}:{one.end.value}" for one in done), flush=True)
"""


class Run:
    """What one killed run said before it died."""

    def __init__(self, lines: list[str], first: int) -> None:
        words = [line.split() for line in lines if line.endswith("\n")]
        self.confirmed_pages = [int(word[1]) for word in words if word[0] == "told"]
        self.tried_pages = [int(word[1]) for word in words if word[0] == "telling"]
        self.added = {first + page * 20 + n for page in self.confirmed_pages for n in range(20)}
        self.ended = [part.split(":") for word in words if word[0] == "told" for part in word[2:]]
        self.counts = [int(word) for word in words[0][1:]]


def _run_and_kill(path, first: int, seconds: float) -> Run:
    process = subprocess.Popen(
        [sys.executable, "-c", CRAWLER, str(path), str(first)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    lines += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    timer.join()
    assert process.returncode == -9, lines[-3:]
    return Run(lines, first)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_f1_f3_f8_five_kills_lose_nothing_that_was_confirmed(tmp_path, seed):
    path = tmp_path / "f.db"
    rng = random.Random(seed)
    added: set[int] = set()
    ended: list[list[str]] = []
    unconfirmed = 0
    for kill in range(5):
        run = _run_and_kill(path, first=kill * 10**9, seconds=rng.uniform(0.02, 0.5))
        assert run.counts[1] == 0, "what the dead process had leased is queued again (promise F3)"
        added |= run.added
        ended += run.ended
        unconfirmed += len(run.tried_pages) - len(run.confirmed_pages)
    assert unconfirmed <= 5
    with closing(SqliteFrontier(path, attempts=2)) as frontier:
        counts = frontier.counts()
        known = frontier.known(list(added))
        assert known == added
        in_file = counts.queued + counts.leased + counts.done + counts.dead
        assert len(added) <= in_file <= len(added) + 20 * unconfirmed
        final = {End.PAGE.value: 0, End.NO_PAGE.value: 0}
        for _, end in ended:
            if end in final:
                final[end] += 1
        at_most_lost = 12 * unconfirmed
        assert final["page"] <= counts.pages <= final["page"] + at_most_lost
        assert sum(final.values()) <= counts.done <= sum(final.values()) + at_most_lost
        finished = {int(number) for number, end in ended if end in final}
        assert not finished & _all_queued(frontier), "what was confirmed as done is fetched again"


def _all_queued(frontier: SqliteFrontier) -> set[int]:
    found: set[int] = set()
    while leases := frontier.acquire("check", 100, 10_000, 600).leases:
        found.update(one.fingerprint for lease in leases for one in lease.entries)
    return found
