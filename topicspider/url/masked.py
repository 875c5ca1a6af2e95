"""A URL as it may be shown: without its password."""

from __future__ import annotations

import re


def masked(url: str) -> str:
    """``url`` with ``***`` for its password, wherever that seems to stand."""
    hidden = re.sub(r"((?:pass|password|passwd|passphrase|pwd|secret|token)=)[^&]*", r"\1***", url, flags=re.IGNORECASE)
    if "@" in hidden:
        # up to the last @: a password that was not percent-encoded may hold @, / and :
        return re.sub(r"^([^:]*:?/*[^:@/]*):.*@", r"\1:***@", hidden, flags=re.DOTALL)
    # the rest of an address cut off before its @, unless it is a port
    return re.sub(r"^(\w+:/+[^:/]*):(?!\d+(?:/|$)).+$", r"\1:***", hidden, flags=re.DOTALL)
