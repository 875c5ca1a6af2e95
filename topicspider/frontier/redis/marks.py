"""The mark of a URL in Redis: its place among equals, which is also its name there."""

from __future__ import annotations

from topicspider.frontier.ordering import mix

BUCKET_BITS = 15
"""The seen-set lies in 2^15 packed sets, the records of what is queued in as many packed hashes: part of the layout."""

_BUCKET_SHIFT = 64 - BUCKET_BITS
_MASK = (1 << 64) - 1
_SIGN = 1 << 63
_GOLDEN = 0x9E3779B97F4A7C15
_UNDO_FIRST = pow(0xBF58476D1CE4E5B9, -1, 1 << 64)
_UNDO_SECOND = pow(0x94D049BB133111EB, -1, 1 << 64)


class Marks:
    """Fingerprints to marks and back, for the seed of one crawl.

    A mark is ``mix(fingerprint, seed)``, which is one-to-one: as 8 bytes, lowest first in byte order, it
    is the member of a host's queue, where Redis orders equal scores by their bytes; as a signed number
    in decimal it stands in the seen-set, where Redis packs signed 64-bit integers (a Lua number would
    lose its last bits, and an unsigned one would unpack the set).
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shift = (seed * _GOLDEN + _GOLDEN) & _MASK

    def of(self, fingerprint: int) -> tuple[bytes, bytes]:
        """The mark as bytes, and as text."""
        mark = mix(fingerprint, self._seed)
        return (mark + _SIGN).to_bytes(8, "big"), b"%d" % mark

    def place_of(self, fingerprint: int) -> tuple[bytes, bytes]:
        """The mark as bytes; and its bucket and its text in the seen-set, each after its length."""
        z = (fingerprint + self._shift) & _MASK  # mix(), without a call
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
        bucket, member = b"%d" % (z >> _BUCKET_SHIFT), b"%d" % (z - _SIGN)
        return z.to_bytes(8, "big"), b"%c%b%c%b" % (len(bucket), bucket, len(member), member)

    def bytes_of(self, fingerprint: int) -> bytes:
        """The mark as bytes."""
        return (mix(fingerprint, self._seed) + _SIGN).to_bytes(8, "big")

    def fingerprint(self, mark: bytes) -> int:
        """The fingerprint whose mark this is."""
        z = int.from_bytes(mark, "big")
        z = (_unshifted(z, 31) * _UNDO_SECOND) & _MASK
        z = (_unshifted(z, 27) * _UNDO_FIRST) & _MASK
        number = (_unshifted(z, 30) - self._shift) & _MASK
        return number - (1 << 64) if number >= _SIGN else number

    @property
    def shifts(self) -> str:
        """What the draw of explored hosts adds, for the seed and for its complement, 64 bits in hex each."""
        other = (~self._seed * _GOLDEN + _GOLDEN) & _MASK
        return f"{self._shift:016x}{other:016x}"


def _unshifted(z: int, bits: int) -> int:
    """The number that was XORed with itself shifted right by ``bits``."""
    return z ^ (z >> bits) ^ (z >> 2 * bits)
