"""Starts ``scrapy ARGUMENTS`` from a process that has loaded the libraries: half of what a start costs is loading them.

Each environment has its own such process, but for what only our own code and Scrapy read when they are asked. An environment
that comes up once, one that is about loading, another system than Linux, and COLD_TESTS=1 get processes from scratch.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

PROGRAM = Path(__file__).with_name("warm_process.py")
ROOT = PROGRAM.parents[1]
COLD = "COLD_TESTS"
OWN = "TOPICSPIDER_"
MAY_DIFFER = (
    "COLUMNS", "PYTEST_CURRENT_TEST", "SCRAPY_SETTINGS_MODULE", "XDG_CACHE_HOME", "http_proxy", "https_proxy", "no_proxy"
)  # fmt: skip
COLD_ENVIRONMENT = frozenset({"PYTHONHASHSEED", "PYTHONWARNINGS"})
"""What a library says or does while it is loaded is of interest to whoever sets these."""
MOST = 3  # environments; others are rare
EACH = 2
"""Processes of an environment, which take turns: they differ in the seed of their hashes, as two processes of a user do."""
START_SECONDS = 60.0


class WarmProcess:
    """What a test uses of subprocess.Popen with text pipes, for a process that is not this one's child."""

    def __init__(self, pid: int, ended: int, out: int, err: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = open(out, encoding="utf-8")  # noqa: SIM115
        self.stderr = open(err, encoding="utf-8")  # noqa: SIM115
        self._ended = ended
        self._readers: list[threading.Thread] = []
        self._read = ["", ""]

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status when it has ended; subprocess.TimeoutExpired."""
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(["scrapy"], timeout or 0)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """All it says, when it has ended; may be called again after subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        if not self._readers:
            self._readers = [threading.Thread(target=self._read_all, args=(place,), daemon=True) for place in (0, 1)]
            for reader in self._readers:
                reader.start()
        for reader in self._readers:
            reader.join(None if end is None else max(0.0, end - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(["scrapy"], timeout or 0)
        self.wait(None if end is None else max(0.0, end - time.monotonic()))
        return self._read[0], self._read[1]

    def send_signal(self, how: int) -> None:
        """Nothing when it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended, and nobody has told yet
                os.kill(self.pid, how)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self.wait()

    def __del__(self) -> None:
        self._close()
        if self.returncode is None:
            os.close(self._ended)

    def _read_all(self, place: int) -> None:
        file = (self.stdout, self.stderr)[place]
        if not file.closed:
            with file:
                self._read[place] = file.read()

    def _close(self) -> None:
        if not any(reader.is_alive() for reader in self._readers):
            self.stdout.close()
            self.stderr.close()

    def _status(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], timeout)[0]:
            told = os.read(self._ended, 20)
            os.close(self._ended)
            self.returncode = int(told) if told else -signal.SIGKILL  # whoever would tell has ended, too
        return self.returncode


_lock = threading.Lock()
_asked: Counter[str] = Counter()
_warm: dict[str, list[socket.socket]] = {}


def start_warm(arguments: Sequence[str], folder: Path, env: Mapping[str, str]) -> WarmProcess | None:
    """``scrapy ARGUMENTS`` in ``folder`` with text pipes; None when it must be a process from scratch."""
    if sys.platform != "linux" or os.environ.get(COLD):
        return None
    with _lock:
        control = _warm_for(_fixed(env))
        return None if control is None else _ordered(control, arguments, folder, env)


def _ordered(
    control: socket.socket, arguments: Sequence[str], folder: Path, env: Mapping[str, str]
) -> WarmProcess | None:
    order = {"arguments": list(map(str, arguments)), "folder": str(Path(folder).resolve()), "environment": dict(env)}
    pipes = [os.pipe() for _ in range(3)]
    (out, _), (err, _), (ended, _) = pipes
    try:
        socket.send_fds(control, [json.dumps(order).encode()], [theirs for _, theirs in pipes])
        told = control.recv(20)
    finally:
        for _, theirs in pipes:
            os.close(theirs)
    assert told, f"{PROGRAM.name} has ended"
    return WarmProcess(int(told), ended, out, err)


def _fixed(env: Mapping[str, str]) -> dict[str, str]:
    """What a process has to be started with."""
    return {name: value for name, value in sorted(env.items()) if name not in MAY_DIFFER and not name.startswith(OWN)}


def _warm_for(fixed: dict[str, str]) -> socket.socket | None:
    """The socket of a process of this environment, which is worth starting once the environment comes up again."""
    key = json.dumps(fixed)
    _asked[key] += 1
    if key not in _warm and _asked[key] > 1 and len(_warm) < MOST and not COLD_ENVIRONMENT.intersection(fixed):
        _warm[key] = []
    if key not in _warm:
        return None
    turn = _asked[key] % EACH
    while len(_warm[key]) <= turn:
        _warm[key].append(_started(fixed))
    return _warm[key][turn]


def _started(env: Mapping[str, str]) -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(theirs.fileno())],
            cwd=ROOT,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            preexec_fn=obey_ctrl_c,
            start_new_session=True,  # Ctrl-C is for the tests, which end it
        )
    ours.settimeout(START_SECONDS)
    assert ours.recv(20) == b"ready"
    atexit.register(_end, ours, process)
    return ours


def _end(control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    control.close()
    process.wait()


def obey_ctrl_c() -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, and their children too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
