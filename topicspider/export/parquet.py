"""Hits as Parquet, for tools that analyse tables; the one home of pyarrow."""

from __future__ import annotations

import json
from typing import IO, Any

from topicspider.export.exporter import FIELDS
from topicspider.items import PageItem
from topicspider.store.contract import PageRow

_AT_ONCE = 200
_BLANK = PageItem("")


class ParquetExporter:
    """A column a field: lists of words as lists, mappings (data, parts) as JSON."""

    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.string()), dict: pa.string()}
        self._arrow = pa
        self._schema = pa.schema([(name, kinds[type(getattr(_BLANK, name))]) for name in FIELDS])
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._waiting.append({name: _value(getattr(row.item, name)) for name in FIELDS})
        if len(self._waiting) >= _AT_ONCE:
            self._flush()

    def close(self) -> None:
        """See Exporter."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def _value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
