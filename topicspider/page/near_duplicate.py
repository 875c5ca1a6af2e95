"""Detects near-duplicate pages (simhash) and unchanged pages (content signature), and remembers the simhashes of a crawl."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from topicspider.text.normalise import normalise
from topicspider.text.word_table import word_digests

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


FEWEST_WORDS = 20
"""A shorter text has no simhash. With 20 to 40 words, three of four copies with one changed word are within NEAR; below, fewer."""
NEAR = 8
"""The simhashes of near-duplicates differ in at most so many bits.

Measured on 4,400 recorded Chinese pages with at least FEWEST_WORDS words: a page and its copy without a tenth of its words, or with a
tenth of another page added, are near in 82 to 91 % of cases (at 3 bits 12 to 23 %, at 10 bits 92 to 99 %). Of 350,000 pairs of
pages of one site that share less than a fifth of their word trigrams, none is near (at 10 bits one is); of 461 pairs that share nine
tenths, all but one are.
"""


def simhash(words: Sequence[str]) -> int:
    """The 64-bit simhash of ``words``, as a signed integer; 0 for fewer than FEWEST_WORDS.

    Features are the words and the pairs of neighbours (pages of one column share words, only copies share their order). A feature weighs
    the square root of its frequency: by plain frequency, menus and tables that repeat a few words make different pages near (70 of the
    350,000 pairs above). The result is the same in every process and on every machine; 0.2 ms for 1,000 words.
    """
    if len(words) < FEWEST_WORDS:
        return 0
    import numpy as np  # imported in each function, so that commands that write no page start without it

    single = np.frombuffer(word_digests(words), dtype=">u8").astype(np.uint64)
    features, counts = np.unique(np.concatenate((single, _pairs(single))), return_counts=True)
    # integer weights, whose sums are exact in single precision: the same on every machine
    weights = np.rint(np.sqrt(counts) * 16).astype(np.float32)
    bits = np.unpackbits(features.astype(">u8").view(np.uint8)).reshape(-1, 64)
    is_set = 2 * (weights @ bits.astype(np.float32)) > weights.sum()
    return int.from_bytes(np.packbits(is_set).tobytes(), "big", signed=True)


def distance(a: int, b: int) -> int:
    """The Hamming distance of two simhashes, 0 to 64; meaningless when one of them is 0."""
    return ((a ^ b) & ((1 << 64) - 1)).bit_count()


def _pairs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each word with the next, in which every bit depends on both."""
    import numpy as np

    odd, half = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # odd, so that no bit of the first word is lost
    mixed = (hashes[:-1] * odd) ^ hashes[1:]
    mixed = (mixed ^ (mixed >> half)) * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> half
    return mixed


CAPACITY = 100_000  # pages of 16 bytes each; a look-up compares with all of them: 0.1 ms


class CopyMemory:
    """The simhashes of the last ``capacity`` originals, each with its owner (e.g. the fingerprint of its URL); copies are not kept."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        import numpy as np

        self._capacity = capacity
        self._hashes = np.zeros(min(capacity, 1024), dtype=np.uint64)
        self._owners = np.zeros(min(capacity, 1024), dtype=np.int64)
        self._count = 0  # all that were ever remembered; the next one's place is this modulo the capacity

    def is_copy(self, simhash: int, owner: int) -> bool:
        """Whether an original of another owner is near ``simhash``; if no original is near, this page is remembered as one.

        The same URL fetched again is no copy of itself; a page without simhash (0: too short) is never a copy.
        """
        owners = self.near(simhash) if simhash else []
        if simhash and not owners:
            self.remember(simhash, owner)
        return bool(owners) and owner not in owners

    def near(self, simhash: int) -> list[int]:
        """The owners of the originals near ``simhash``."""
        import numpy as np

        known = min(self._count, self._capacity)
        differing = self._hashes[:known] ^ np.uint64(simhash & (2**64 - 1))
        found: list[int] = self._owners[:known][np.bitwise_count(differing) <= NEAR].tolist()
        return found

    def remember(self, simhash: int, owner: int) -> None:
        if self._count == len(self._hashes) < self._capacity:
            import numpy as np

            size = min(self._capacity, 2 * len(self._hashes))
            self._hashes, self._owners = np.resize(self._hashes, size), np.resize(self._owners, size)
        place = self._count % self._capacity
        self._hashes[place], self._owners[place] = simhash & (2**64 - 1), owner
        self._count += 1


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_COUNTED = (
    "浏览|阅读|观看|点击|访问|评论|回复|回覆|收藏|点赞|转发|下载|播放|热度|人气|在线|"
    r"\b(?:views?|reads?|readers?|comments?|replies|likes?|shares?|online)\b"
)
_M, _D = r"(?:0?[1-9]|1[0-2])(?!\d)", r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
# neither 1999.00 nor 2026.5 元 is a date
_MONEY = r"(?:元(?![旦宵])|圆|块|万|亿|人民币|[美欧日港澳台韩加]元|[港台]币|英镑|%|[$¥€£]|(?:usd|cny|rmb|eur|gbp|hkd|dollars?|euros?|yuan)\b)"
_NO_PRICE = rf"(?![.,]\d|\s*{_MONEY})"
_CLOCK = re.compile(
    rf"(?<!\d)(?<!\d[.,])(?=\d)(?:(?<![$¥€£])(?:19|20)\d\d(?:[-/.]{_M}(?:[-/.]{_D}t?|{_NO_PRICE})|\s*年(?:\s*\d{{1,2}}\s*月)?(?:\s*\d{{1,2}}\s*日)?)|"
    r"\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!\d)(?:\s*[ap]m\b)?|\d{1,2}\s*时\s*\d{1,2}\s*分|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}(?:,?\s*\d{{4}})?|"
    r"\d+\s*(?:(?:second|sec|minute|min|hour|day|week|month|year)s?\s+ago\b|(?:秒钟?|分钟?|个?小时|天|周|个?月|年)[之以]?前)|"
    rf"\d[\d,.]{{0,20}}[万k]?\s*(?:[次人条个]\s*)?(?:{_COUNTED}))|"
    rf"(?:{_COUNTED})(?:量|数|次数|人数)?[\s:(]*\d[\d,.]{{0,20}}[万k]?|\b{_MONTH}\s*\d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:,?\s*(?:19|20)\d\d\b)?|"
    r"(?:星期|礼拜|周)[一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
)
"""Text that changes though the content does not: dates, times of day, ages (3 天前), counts of readers, names of weekdays."""
_BEGINNING = re.compile(
    r"[\d浏阅观点访评回收转下播热人在星礼周]|\b(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec|view|read|comment|repl|like|share|online|mon|tue|wed|thu|fri|sat|sun)"
)
"""The beginnings of what _CLOCK matches: searching for them first is ten times as fast."""
_BREAK = "\ue00a"  # replaces line breaks while normalise runs, which would make them spaces; a private-use character, absent from texts


def content_signature(title: str, body: str) -> int:
    """Signed 64-bit hash of the title and of the set of the body's lines; it changes when the content does.

    The order of lines, white space, case, width, traditional or simplified characters, dates, times of day and numbers of readers do not
    count; prices and other numbers do. As the body is the page's own text, menus and most advertisements do not count either.
    """
    first, *rest = told(f"{title}\n{body}").split("\n")
    blocks = {"".join(line.split()) for line in rest}
    said = sorted(block for block in blocks if len(block) >= 20 or any(map(str.isalnum, block)))
    text = "\n".join(["".join(first.split()), *said]).encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


def told(text: str) -> str:
    """``text`` as content is compared: normalised and without what _CLOCK matches; line breaks are kept."""
    text = normalise(text.replace("\n", _BREAK)).replace(_BREAK, "\n")
    kept, end = [], 0
    for begin in _BEGINNING.finditer(text):
        if begin.start() >= end and (clock := _CLOCK.match(text, begin.start())):
            kept.append(text[end : begin.start()])
            end = clock.end()
    return "".join([*kept, text[end:]])
