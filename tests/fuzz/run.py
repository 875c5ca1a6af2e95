"""Fuzzes a target with atheris: it may raise nothing, and no small input may take long.

python -m tests.fuzz.run page [-max_total_time=600] tests/data/fuzz-corpus
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["topicspider", "protego", "warcio", "pickletools"]):
    from tests.fuzz.targets import TARGETS

SECONDS = 2.0
"""An input of at most 16 kB that takes longer is a finding; instrumented code is several times slower."""


def main() -> None:
    target = TARGETS[sys.argv[1]]

    def one_input(data: bytes) -> None:
        started = time.process_time()
        target.run(data)
        if time.process_time() - started > SECONDS:
            raise TimeoutError(f"{time.process_time() - started:.1f} s for {len(data)} bytes")

    begins = Path(mkdtemp(prefix="topicspider-fuzz-"))
    for number, seed in enumerate(target.seeds):
        (begins / str(number)).write_bytes(seed)
    one_input(b"")
    atheris.Setup([sys.argv[0], "-max_len=16000", *sys.argv[2:], str(begins)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
