"""The order of URLs and hosts, the same on every node and in every frontier."""

from __future__ import annotations

from hashlib import blake2b

MICRO = 1_000_000
_SCORE_LIMIT = 1e10  # the sum of 50 of them, in millionths, still fits a signed 64-bit integer
_MASK = (1 << 64) - 1
_SIGN = 1 << 63


def to_micros(score: float) -> int:
    """``score`` in whole millionths: what scores are compared by. NaN is 0; infinities are cut to ±1e10.

    Integers, because sums of them do not depend on the order of adding (paper (c)'s capacity), and
    because 1e-6 is where two platforms' floating point still agrees.
    """
    if score != score:
        return 0
    return round(max(-_SCORE_LIMIT, min(_SCORE_LIMIT, score)) * MICRO)


def from_micros(micros: int) -> float:
    """The score that ``to_micros`` was given, rounded to 1e-6."""
    return micros / MICRO


def splitmix64(number: int, seed: int) -> int:
    """A keyed permutation of the signed 64-bit integers (the finaliser of splitmix64).

    Being one-to-one it leaves no ties: two fingerprints never share a place.
    """
    z = (number + seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) - _SIGN


def host_tie(host: str, seed: int) -> int:
    """The place of a host among hosts of equal rank: a keyed hash of its name, signed 64 bit."""
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8, key=seed.to_bytes(16, "big", signed=True))
    return int.from_bytes(digest.digest(), "big", signed=True)


def explored_place(token: int, ready: int, seed: int, exploration: float) -> int:
    """Which of ``ready`` hosts, best first, lease number ``token`` goes to: 0, or by chance another.

    The chance is a hash of the seed and of the lease's number within its run (the low half of the token),
    not a generator with a state: the same crawl draws the same, whatever kind of frontier it runs on.
    """
    if exploration <= 0 or ready < 2:
        return 0
    number = token & 0xFFFFFFFF
    drawn = (splitmix64(number, ~seed) + _SIGN) / (1 << 64)
    return (splitmix64(number, seed) + _SIGN) % ready if drawn < exploration else 0


def clean_text(text: str) -> str:
    """``text`` without lone surrogates, which no database stores: one such link must not fail a flush."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
