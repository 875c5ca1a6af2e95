"""Two processes with the learned link policy share one model through a real Redis (R5), also when the one that fits is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
import redis

from support.crawling import ROOT, environment


class Process:
    """tests.steering.node, running."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "tests.steering.node", *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def node(redis_url, redis_prefix):
    processes = []

    def make(name):
        processes.append(Process(redis_url, redis_prefix, name))
        return processes[-1]

    yield make
    for process in processes:
        if process.process.returncode is None:
            process.kill()
    with redis.Redis.from_url(redis_url) as client:
        for key in client.keys(f"*{redis_prefix}*"):
            client.delete(key)


def test_after_publishing_every_process_scores_alike_and_a_killed_fitter_is_replaced(node):
    one, other = node("甲"), node("乙")
    assert one.ask("sync")["fits"]
    assert not other.ask("sync")["fits"]
    one.ask("pages 150")
    other.ask("pages 60")  # its examples go to the other
    other.ask("sync")
    for _ in range(3):
        published = one.ask("sync")
    assert published["number"] > 1
    adopted = other.ask("sync")
    assert (adopted["number"], adopted["version"]) == (published["number"], published["version"])
    scores = one.ask("scores 1")
    assert len(set(scores)) > 5
    assert other.ask("scores 1") == scores
    one.kill()
    deadline = time.monotonic() + 30
    while not (taken := other.ask("sync"))["fits"]:
        assert time.monotonic() < deadline, "the lease of a killed process never ended"
        time.sleep(0.1)
    other.ask("pages 120")
    assert other.ask("sync")["number"] > taken["number"] - 1
    third = node("丙")
    newest = third.ask("sync")
    assert newest["version"] == other.ask("sync")["version"] != published["version"]
    assert third.ask("scores 2") == other.ask("scores 2")
