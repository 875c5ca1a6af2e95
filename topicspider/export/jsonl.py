"""Hits as JSON lines, as the feeds of a crawl have them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import IO

from topicspider.store.contract import PageRow


class JsonLinesExporter:
    """An object a line, in UTF-8, with every field."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._file.write(json.dumps(asdict(row.item), ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """See Exporter."""
