"""A file that tells Prometheus where a running crawl is asked for its figures; it goes when the crawl does."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO


class TargetFile:
    """One file a running crawl in a folder that Prometheus watches (``file_sd_configs``).

    It is locked while its process lives. What a process left behind that was killed stays, so that Prometheus sees the crawl
    down, until the next one comes.
    """

    def __init__(self, folder: str, address: str) -> None:
        place = Path(folder).expanduser()
        place.mkdir(parents=True, exist_ok=True)
        _sweep(place)
        self._path = place / f"{address.replace(':', '-').strip('[]')}.json"
        self._file: IO[str] | None = self._written(address)

    def remove(self) -> None:
        """The crawl is over."""
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            self._file.close()
            self._file = None

    def _written(self, address: str) -> IO[str]:
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        file = part.open("w", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            json.dump([{"targets": [address]}], file)
            file.flush()
            part.replace(self._path)  # Prometheus never sees half of it
        except BaseException:
            file.close()
            part.unlink(missing_ok=True)
            raise
        return file


def _sweep(folder: Path) -> None:
    """Remove the files of processes that are no more: nobody holds their lock."""
    for path in folder.glob("*.json"):
        with suppress(OSError), path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
