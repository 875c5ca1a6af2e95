"""How pages are read, where there is a choice: plain values that a crawl's settings fill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Manner:
    """The rules by which title, body and keywords are found.

    ``title_rule``: vote, or visual, (a) Li 2002's rule alone. ``body_rule``: density (one pass, fast), quality (trafilatura, about ten
    times slower), or auto (density, and quality where density is in doubt). ``keyword_rule``: weighed, or meta, (d) Xu 2007's rule alone.
    """

    title_rule: str = "vote"
    body_rule: str = "density"
    keyword_rule: str = "weighed"
