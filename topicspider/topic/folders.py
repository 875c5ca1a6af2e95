"""What the folder of a crawl's results is called."""

from __future__ import annotations

from urllib.parse import quote


def folder_name(*topics: str) -> str:
    """The name, in the folder of all results, of the folder of a crawl of ``topics`` together."""
    return quote("+".join(topics), safe="+")
