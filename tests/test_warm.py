"""A command that starts from a warm process is the command that a process from scratch runs: what it is given, says, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawling import environment
from tests.warm import COLD, WarmProcess, start_warm

PROJECT = {
    "scrapy.cfg": "[settings]\ndefault = shop.settings\n",
    "shop/__init__.py": "",
    "shop/settings.py": "COMMANDS_MODULE = 'shop.commands'\nLOG_ENABLED = False\n",
    "shop/commands/__init__.py": "",
    "shop/commands/tell.py": """
import json, os, signal, sys, threading
from scrapy.commands import ScrapyCommand
FACTS = ("__main__", "topicspider.assembly", "topicspider.settings", "twisted.internet.reactor", "scrapy.crawler")

class Command(ScrapyCommand):
    def short_desc(self):
        return ""

    def run(self, args, opts):
        told = {"args": args, "argv": sys.argv[1:], "program": sys.argv[0], "path": sys.path, "folder": os.getcwd()}
        told["environment"] = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        told["loaded"] = {name: name in sys.modules for name in FACTS}
        told["main"] = sys.modules["__main__"].__spec__.name
        told["streams"] = [(one.encoding, one.errors, one.line_buffering, one.isatty()) for one in (sys.stdout, sys.stderr)]
        told["interrupts"] = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        told["signals"] = [signal.getsignal(one) is signal.SIG_DFL for one in (signal.SIGTERM, signal.SIGCHLD)]
        told["blocked"] = sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))
        told["threads"] = threading.active_count()
        told["open"] = sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1]
        print(json.dumps(told, sort_keys=True))
        print("错误", file=sys.stderr)
        self.exitcode = 7
""",
    "shop/commands/seed.py": """
from scrapy.commands import ScrapyCommand

class Command(ScrapyCommand):
    def short_desc(self):
        return ""

    def run(self, args, opts):
        print(hash("旅游"))
""",
    "shop/commands/wait.py": """
import time
from scrapy.commands import ScrapyCommand

class Command(ScrapyCommand):
    def short_desc(self):
        return ""

    def run(self, args, opts):
        print("waits", flush=True)
        time.sleep(60)
""",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def env(**more: str) -> dict[str, str]:
    return environment("http://127.0.0.1:1", **{"SCRAPY_SETTINGS_MODULE": "shop.settings", **more})


def warm(folder: Path, *arguments: str, **more: str) -> WarmProcess:
    """From the second time on that an environment comes up, its process is there."""
    first = start_warm(arguments, folder, env(**more))
    if first is not None:
        first.kill()
        first.communicate()
    started = start_warm(arguments, folder, env(**more))
    assert started is not None
    return started


pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="warm processes are for Linux"),
    pytest.mark.skipif(bool(os.environ.get(COLD)), reason=f"{COLD} is set"),
]


def test_it_is_given_and_says_what_a_process_from_scratch_is_given_and_says(shop):
    command = [sys.executable, "-m", "scrapy", "tell", "旅游", "-s", "A=1"]
    cold = subprocess.run(
        command,
        cwd=shop,
        env=env(TOPICSPIDER_X="值"),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs do without
    )
    started = warm(shop, "tell", "旅游", "-s", "A=1", TOPICSPIDER_X="值")
    out, err = started.communicate(timeout=60)
    assert out == cold.stdout
    assert (err, started.returncode) == (cold.stderr, cold.returncode) == ("错误\n", 7)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_signal_ends_it(shop, how):
    with warm(shop, "wait") as started:
        assert started.stdout.readline() == "waits\n"
        assert started.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(timeout=0.01)
        with pytest.raises(subprocess.TimeoutExpired):
            started.communicate(timeout=0.01)
        started.send_signal(how)
        _out, err = started.communicate(timeout=60)
    assert started.returncode == -how
    assert ("KeyboardInterrupt" in err) is (how == signal.SIGINT)
    assert not Path(f"/proc/{started.pid}").exists()
    started.kill()  # of nobody


def test_two_in_a_row_hash_alike_as_little_as_two_from_scratch(shop):
    warm(shop, "seed").communicate(timeout=60)
    started = [start_warm(["seed"], shop, env()) for _ in range(2)]
    assert all(started)
    assert len({one.communicate(timeout=60)[0] for one in started}) == 2


def test_what_is_about_loading_and_what_comes_up_once_is_a_process_from_scratch(shop):
    for _ in range(3):
        assert start_warm(["tell"], shop, env(PYTHONHASHSEED="7")) is None
        assert start_warm(["tell"], shop, env(PYTHONWARNINGS="error")) is None
    assert start_warm(["tell"], shop, env(LC_TIME="once")) is None


def test_a_start_from_scratch_can_be_asked_for(shop, monkeypatch):
    warm(shop, "tell").communicate(timeout=60)
    monkeypatch.setenv(COLD, "1")
    assert start_warm(["tell"], shop, env()) is None
