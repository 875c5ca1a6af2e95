"""Hits as a WARC: the pages as they came where there are snapshots, else their text."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from topicspider.errors import UnavailableError
from topicspider.store.contract import PageRow
from topicspider.store.snapshots import Snapshot, packed_info, packed_snapshot, packed_text


class WarcExporter:
    """A record a page: ``response`` of its snapshot (``read`` finds it), else ``conversion`` of title and body, as text/plain."""

    def __init__(self, file: IO[bytes], read: Callable[[str], Snapshot]) -> None:
        self._file = file
        self._read = read
        self._file.write(packed_info("hits.warc.gz"))

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._file.write(self._record(row))

    def close(self) -> None:
        """See Exporter."""

    def _record(self, row: PageRow) -> bytes:
        item = row.item
        if item.snapshot:
            try:
                return packed_snapshot(self._read(item.snapshot))
            except UnavailableError:  # its file was deleted, or lies on another node
                pass
        return packed_text(item.url, f"{item.title}\n\n{item.body}\n", item.fetched_at)
