"""Times the reading of documents in the worker process: milliseconds of its CPU a document, and its memory.

    python benchmarks/micro/bench_documents.py [--rounds 20]

Documents are made here: 10 pages of Chinese text each. Milliseconds depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support.documents import docx, epub, paragraph, pdf, printed
from topicspider.page.documents.converter import Converter
from topicspider.page.page import Page

_SENTENCE = "黄山以奇松、怪石、云海著称，清晨出发沿着石板路慢慢走，住的客栈干净，门票不贵。"
_LINES_A_PAGE = 38


def made() -> dict[str, bytes]:
    """A document of each kind with the same text."""
    pages = [
        [(f"第{number}章 上山", 90, 790, 16), *printed([f"{line}，{_SENTENCE}"[:36] for line in range(_LINES_A_PAGE)])]
        for number in range(10)
    ]
    texts = [f"{number}，{_SENTENCE}" * 4 for number in range(95)]
    return {
        "pdf": pdf([[(str(a), float(b), float(c), float(d)) for a, b, c, d in page] for page in pages], "黄山旅游攻略"),
        "docx": docx("".join(paragraph(text) for text in texts)),
        "epub": epub({f"{n}.xhtml": "".join(f"<p>{text}</p>" for text in texts[n::10]) for n in range(10)}),
    }


def spent(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """Its peak of resident memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> int:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print("kind    bytes  characters  worker ms  crawl ms  first, wall ms  worker MiB")
    for kind, body in made().items():
        converter = Converter()
        began = time.monotonic()
        document = converter.convert(kind, body)
        first = time.monotonic() - began
        pid = converter.worker_pid
        assert pid is not None
        before, ours = spent(pid), time.process_time()
        for _round in range(rounds):
            document = converter.convert(kind, body)
        after, ours = spent(pid), time.process_time() - ours
        page = Page("http://www.example.cn/a", document.markup, document.content_type, document=kind)
        each = (after - before) / rounds * 1000
        print(
            f"{kind:5s} {len(body):7d} {len(page.body):11d} {each:10.1f} {ours / rounds * 1000:9.2f} {first * 1000:15.0f} {megabytes(pid):11.0f}"
        )
        converter.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
