"""Ctrl-C while modules are still imported, while the crawl opens, and again when all is said: no traceback, exit code 130."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from support.crawling import ROOT, environment, obey_ctrl_c, order, scrapy
from support.site import TRAVEL, page, small_web


def test_ctrl_c_during_the_imports_is_no_traceback(tmp_path):
    words = "-X importtime -m topicspider crawl topic -a topic=tourism -a seeds=http://127.0.0.1:9/"
    command = [sys.executable, *words.split()]
    at_the_end = "lambda: (print('at the end', file=sys.stderr, flush=True), time.sleep(1))"
    (tmp_path / "sitecustomize.py").write_text(f"import atexit, sys, time; atexit.register({at_the_end})")
    env = environment(PYTHONPATH=f"{ROOT}:{tmp_path}")
    for moment in ("scrapy.exceptions", "twisted.python", "topicspider.options"):
        with subprocess.Popen(
            command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=obey_ctrl_c
        ) as process:
            assert process.stderr is not None
            deadline = time.monotonic() + 60
            while moment not in process.stderr.readline():
                assert time.monotonic() < deadline
            process.send_signal(signal.SIGINT)
            said = ""
            while "at the end" not in said and (line := process.stderr.readline()):
                said += line
            process.send_signal(signal.SIGINT)
            said += process.stderr.read()
        assert (process.returncode, "Traceback" in said) == (130, False), (moment, said[-1500:])


def test_ctrl_c_while_the_crawl_opens_is_no_failure(tmp_path):
    at_once = "lambda self, record: (handle(self, record), 'Spider opened' in record.msg and signal.raise_signal(2))"
    code = f"import logging, signal; handle = logging.Logger.handle; logging.Logger.handle = {at_once}"
    (tmp_path / "sitecustomize.py").write_text(code)
    with small_web({"http://a.example/": page("旅游日记", TRAVEL)}) as web:
        env = environment(web.proxy, PYTHONPATH=f"{ROOT}:{tmp_path}")
        ended = scrapy(order(seeds="http://a.example/"), tmp_path, env)
    assert (ended.exit_code, ended.err.splitlines()[-1]) == (130, "topicspider: interrupted")
