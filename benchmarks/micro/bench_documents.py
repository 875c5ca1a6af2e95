"""Times the reading of documents: milliseconds of CPU a document, of its process and of the crawl.

    python -m benchmarks.micro.bench_documents [--rounds 20]

Documents are made here: 10 pages of Chinese text each. Milliseconds depend on the machine.
"""

from __future__ import annotations

import argparse
import resource
import time

from support.documents import docx, paragraph, pdf, printed
from topicspider.page.documents.process import convert
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
    }


def main() -> None:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print("kind    bytes  characters  process ms  crawl ms")
    for kind, body in made().items():
        began, ours = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
        for _round in range(rounds):
            document = convert(kind, body)
        ended, ours = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time() - ours
        page = Page("http://www.example.cn/a", document.markup, document.content_type, document=kind)
        spent = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
        print(
            f"{kind:5s} {len(body):7d} {len(page.body):11d} {spent / rounds * 1000:11.1f} {ours / rounds * 1000:9.2f}"
        )


if __name__ == "__main__":
    main()
