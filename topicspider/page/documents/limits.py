"""What one document may cost its reader: bytes, time, memory, pages, text."""

from __future__ import annotations

MAX_TEXT = 400_000
"""Characters taken from a document: twice what a page's body keeps."""
MAX_BLOCKS = 20_000
MAX_PAGES = 300
MAX_CHARS_OF_A_PAGE = 50_000
MAX_LINKS = 2_000
MAX_MARKUP_BYTES = 4 * 1024 * 1024
"""Of one answer of the worker; ``MAX_TEXT`` Chinese characters with their tags are about 1.3 MB."""

MAX_MEMBERS = 5_000
MAX_MEMBER_BYTES = 32 * 1024 * 1024
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_RATIO = 200
"""Unpacked bytes a packed one, looked at beyond the first MiB. Word's own XML reaches 50; a zip bomb 1,000."""
MAX_DEPTH = 200
"""Nested elements of an XML part; Word's own stay below 60."""

SOFT_CPU_SECONDS = 4.0
"""A reader that sees more spent than this stops, and what it has by then is the document."""
HARD_CPU_SECONDS = 8
WALL_SECONDS = 30.0
"""For one document, on a busy machine: a worker that has not answered by then is ended."""
START_SECONDS = 30.0
MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of the worker. Python and the readers take 150 MiB of it."""
DOCUMENTS_A_WORKER = 200
"""Then a fresh one takes over, so that what a reader leaks does not add up."""
