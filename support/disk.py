"""A small disk for tests, which fills up quickly."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of ``size`` (as mount takes it) below ``folder`` while the block runs; skips the test if none can be mounted."""
    place = folder / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if (
        os.geteuid() != 0
        or not shutil.which("mount")
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        pytest.skip("NOT TESTED: a full disk needs root and the right to mount a tmpfs")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def make_room(place: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
