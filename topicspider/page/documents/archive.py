"""Reads members of a ZIP file within bounds, so that a zip bomb costs no more than a document."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from topicspider.page.documents.document import Failure, Unreadable


class Archive:
    """Members by name; only what is asked for is unpacked."""

    def __init__(self, body: bytes) -> None:
        """Raises Unreadable for what is no ZIP file, or one of too many members."""
        if body.count(b"PK\x01\x02") > 5_000:
            raise Unreadable(Failure.LIMIT)
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
            raise Unreadable(Failure.DAMAGED) from None
        self._left = 64 * 1024 * 1024  # unpacked bytes of all members

    def read(self, name: str) -> bytes:
        """The whole member; b"" when there is none of that name; raises Unreadable."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            return b""
        if info.flag_bits & 1:
            raise Unreadable(Failure.LOCKED)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(Failure.DAMAGED)
        # what the file says about the unpacked size may be a lie; Word's own XML unpacks to 50 times its size, a zip bomb to 1,000
        most = min(32 * 1024 * 1024, self._left, max(1024 * 1024, 200 * info.compress_size))
        try:
            with self._zip.open(info) as member:
                data = member.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, EOFError, OSError, RuntimeError):
            raise Unreadable(Failure.DAMAGED) from None
        if len(data) > most:
            raise Unreadable(Failure.LIMIT)
        self._left -= len(data)
        return data
