"""The command ``run``: what it makes, installs and starts, with every installer a machine may have.

Installers and Pythons are stubs that write down their calls: nothing is downloaded here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "dirname", "cksum", "cat", "rm", "mkdir", "cp", "chmod", "readlink", "sed")
STUBS = {
    "uv": """
        case "$1" in venv) for last; do :; done; mkdir -p "$last/bin"; cp "$STUBS/venv-python" "$last/bin/python" ;; esac
        [ ! -f "$STUBS/uv-fails" ]""",
    "python3": """
        case "$*" in
        -V) echo Python 3.9.2 ;;
        -c*) [ ! -f "$STUBS/old" ] ;;
        "-m pip --version") [ ! -f "$STUBS/no-pip" ] ;;
        "-m venv --without-pip"*) [ ! -f "$STUBS/no-venv" ] && mkdir -p "$4/bin" && cp "$STUBS/venv-python" "$4/bin/python" ;;
        "-m venv"*) mkdir -p "$3/bin"; [ ! -f "$STUBS/no-ensurepip" ] && cp "$STUBS/venv-python" "$3/bin/python" ;;
        "-m pip"*) [ ! -f "$STUBS/offline" ] ;;
        esac""",
    "venv-python": """
        case "$*" in
        "-m pip --version") [ ! -f "$STUBS/no-ensurepip" ] ;;
        "-m pip"*) [ ! -f "$STUBS/offline" ] ;;
        esac""",
}


class Machine:
    """A checkout in a folder with blanks, and a PATH with nothing but stubs and a few tools."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "my spider 项目"
        self.stubs = folder / "stubs"
        self._path = folder / "bin"
        self.elsewhere = folder / "elsewhere"
        for made in (self.checkout, self.stubs, self._path, self.elsewhere):
            made.mkdir()
        for name in ("run", "requirements.txt", "requirements-dev.txt"):
            shutil.copy(ROOT / name, self.checkout / name)
        for tool in TOOLS:
            (self._path / tool).symlink_to(shutil.which(tool) or "")
        self.has("python3")
        self._stub(self.stubs / "venv-python", "venv-python")

    def has(self, name: str) -> None:
        """Put a stub on PATH."""
        self._stub(self._path / name, name)

    def is_so(self, *conditions: str) -> None:
        """Make the stubs behave: ``offline``, ``old``, ``no-pip`` …"""
        for condition in conditions:
            (self.stubs / condition).touch()

    def run(self, *arguments: str, command: str = "", user: int | None = None) -> subprocess.CompletedProcess[str]:
        env = {"PATH": str(self._path), "STUBS": str(self.stubs), "HOME": str(self.elsewhere)}
        line = [command or str(self.checkout / "run"), *arguments]
        return subprocess.run(
            line, cwd=self.elsewhere, env=env, capture_output=True, text=True, timeout=30, check=False, user=user
        )

    def calls(self) -> list[str]:
        """What the stubs were called with, since the last look; without the questions that change nothing."""
        log = self.stubs / "calls"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line for line in lines if " -c " not in line and "--version" not in line and " -V" not in line]

    @property
    def venv(self) -> Path:
        return self.checkout / ".venv"

    def _stub(self, path: Path, name: str) -> None:
        text = f'#!/bin/sh\necho "{name} $*" >>"$STUBS/calls"\n{STUBS[name]}\n'
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_the_first_start_sets_up_and_the_second_only_starts(machine):
    machine.has("uv")
    first = machine.run("topics", "list")
    assert first.returncode == 0, first.stderr
    made = machine.calls()
    assert made == [
        f"uv venv --quiet --python >=3.11 {machine.venv}",
        f"uv pip install --quiet --python {machine.venv}/bin/python -r {machine.checkout}/requirements.txt",
        "venv-python -m topicspider topics list",
    ]
    second = machine.run("crawl", "topic", "-a", "topic=F59,my topic")
    assert (second.returncode, second.stderr) == (0, "")
    assert machine.calls() == ["venv-python -m topicspider crawl topic -a topic=F59,my topic"]


def test_without_uv_pip_of_the_environment_installs(machine):
    assert machine.run("list").returncode == 0
    assert machine.calls() == [
        f"python3 -m venv {machine.venv}",
        "venv-python -m pip --disable-pip-version-check uninstall --quiet --yes setuptools",
        f"venv-python -m pip --disable-pip-version-check install --quiet --target {machine.venv}/uv uv",
        f"venv-python -m pip --disable-pip-version-check install --quiet -r {machine.checkout}/requirements.txt",
        "venv-python -m topicspider list",
    ]


def test_without_ensurepip_pip_of_the_system_installs(machine):
    """Debian 12 with python3 and python3-pip, without python3-venv."""
    machine.is_so("no-ensurepip")
    assert machine.run("list").returncode == 0
    pip = f"python3 -m pip --disable-pip-version-check --python {machine.venv}/bin/python install --quiet"
    assert machine.calls() == [
        f"python3 -m venv {machine.venv}",
        f"python3 -m venv --without-pip {machine.venv}",
        f"{pip} --target {machine.venv}/uv uv",
        f"{pip} -r {machine.checkout}/requirements.txt",
        "venv-python -m topicspider list",
    ]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (("no-ensurepip", "no-venv"), "apt-get install python3-venv"),
        (("no-ensurepip", "no-pip"), "apt-get install python3-venv"),
        (("old",), "Python 3.11 or newer is needed; this is Python 3.9.2"),
    ],
)
def test_what_cannot_work_is_one_line_and_leaves_nothing(machine, conditions, words):
    machine.is_so(*conditions)
    ended = machine.run("demo")
    assert ended.returncode == 1
    (line,) = [line for line in ended.stderr.splitlines() if "setting up" not in line]
    assert line.startswith("run: ")
    assert words in line
    assert not machine.venv.exists()


def test_an_installation_without_a_network_is_told_and_tried_again(machine):
    machine.is_so("offline")
    ended = machine.run("list")
    assert ended.returncode == 1
    assert "is there a network? The same command tries again" in ended.stderr
    (machine.stubs / "offline").unlink()
    machine.calls()
    assert machine.run("list").returncode == 0
    assert "python3 -m venv" not in " ".join(machine.calls())


@pytest.mark.parametrize("kind", ["empty", "no mark", "dangling", "file"])
def test_a_half_made_environment_is_made_anew(machine, kind):
    machine.has("uv")
    if kind == "file":
        machine.venv.touch()
    else:
        (machine.venv / "bin").mkdir(parents=True)
    if kind == "no mark":
        shutil.copy(machine.stubs / "venv-python", machine.venv / "bin" / "python")
    if kind == "dangling":
        (machine.venv / ".made").touch()
        (machine.venv / "bin" / "python").symlink_to("/nowhere/python3")
    assert machine.run("list").returncode == 0
    assert machine.calls()[0].startswith("uv venv")
    assert os.access(machine.venv / "bin" / "python", os.X_OK)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_an_environment_that_starts_for_its_owner_alone_is_left_to_them():
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        machine = Machine(Path(folder))
        machine.run("list")
        (machine.venv / "bin" / "python").chmod(0o700)
        ended = machine.run("list", user=65534)
        assert ended.returncode == 1
        assert re.fullmatch("run: the Python of .* run this as its owner.*\n", ended.stderr)
        assert machine.run("list").returncode == 0


def test_a_link_to_it_starts_it(machine):
    machine.run("list")
    (machine.elsewhere / "spider").symlink_to(machine.checkout / "run")
    machine.calls()
    assert machine.run("list", command="./spider").stderr == ""
    assert machine.calls() == ["venv-python -m topicspider list"]
    for name in ("check", "test"):  # installs nothing
        assert re.fullmatch(rf"\./run {name} .*\n", machine.run(name, "--help", command="./spider").stdout)
    assert machine.calls() == []


def test_changed_requirements_are_installed_again(machine):
    machine.has("uv")
    machine.run("list")
    machine.calls()
    with (machine.checkout / "requirements.txt").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    machine.run("list")
    assert [call.split(" --")[0] for call in machine.calls()] == ["uv pip install", "venv-python -m topicspider list"]
