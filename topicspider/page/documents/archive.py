"""Reads members of a ZIP file within bounds, so that a zip bomb costs no more than a document."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from topicspider.page.documents.document import Failure
from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.limits import MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_RATIO, MAX_UNPACKED_BYTES

_CHUNK = 256 * 1024
_FREE = 1024 * 1024
"""Bytes that any member may unpack to, however well it packs."""
_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """Members by name; only what is asked for is unpacked."""

    def __init__(self, body: bytes) -> None:
        """Raises Unreadable for what is no ZIP file, or one of too many members."""
        if body.count(_ENTRY) > MAX_MEMBERS:
            raise Unreadable(Failure.LIMIT)
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
            raise Unreadable(Failure.DAMAGED) from None
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """The whole member; b"" when there is none of that name; raises Unreadable."""
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            return b""
        if info.flag_bits & 1:
            raise Unreadable(Failure.LOCKED)
        if info.compress_type not in _METHODS:
            raise Unreadable(Failure.DAMAGED)
        if info.file_size > MAX_MEMBER_BYTES:
            raise Unreadable(Failure.LIMIT)
        try:
            return self._unpack(info)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, EOFError, OSError, RuntimeError):
            raise Unreadable(Failure.DAMAGED) from None

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        """Piece by piece: what the file says about its size may be a lie."""
        limit = max(_FREE, MAX_RATIO * info.compress_size)
        parts, size = [], 0
        with self._zip.open(info) as member:
            while chunk := member.read(_CHUNK):
                size += len(chunk)
                self._unpacked += len(chunk)
                if size > min(limit, MAX_MEMBER_BYTES) or self._unpacked > MAX_UNPACKED_BYTES:
                    raise Unreadable(Failure.LIMIT)
                parts.append(chunk)
        return b"".join(parts)
