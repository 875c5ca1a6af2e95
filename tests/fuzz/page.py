"""Fuzzes Page with atheris: any bytes, any content type and URL; nothing may raise, every field is bounded, none takes long.

python tests/fuzz/page.py [-max_total_time=600] tests/data/fuzz-corpus
"""

from __future__ import annotations

import datetime
import sys
import time
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2]))

with atheris.instrument_imports(include=["topicspider.page", "topicspider.url"]):
    from tests.fuzz.inputs import page_of
    from tests.page.asking import ask, check

SECONDS = 2.0
"""An input of at most 16 kB that takes longer is a finding; instrumented code is several times slower."""


def one_input(data: bytes) -> None:
    """What the fuzzer calls."""
    page = page_of(data)
    started = time.process_time()
    ask(page)
    if time.process_time() - started > SECONDS:
        raise TimeoutError(f"{time.process_time() - started:.1f} s for {len(data)} bytes")
    check(page)


if __name__ == "__main__":
    assert datetime.date(2024, 5, 1)
    one_input(b"")
    atheris.Setup([sys.argv[0], "-max_len=16000", *sys.argv[1:]], one_input)
    atheris.Fuzz()
