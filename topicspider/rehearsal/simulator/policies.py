"""The link policies that can be rehearsed: those of a crawl, and two that only a rehearsal can have."""

from __future__ import annotations

from topicspider.errors import ConfigError
from topicspider.relevance.published_link_policies import LINK_POLICIES

ALL = "all"
USUAL = ("bfs", "random", "best_first", "pagerank", "ipagerank", "learned", "oracle")
"""Compared by default: baselines, published methods, a crawl's default policy, and the oracle."""
POLICY_NAMES = (*LINK_POLICIES, "anchor", "oracle")


def read_policy_names(text: str) -> tuple[str, ...]:
    """The policies of ``a,b`` or ``all``, each once, in the order given; ConfigError for another name."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == [ALL]:
        return POLICY_NAMES
    unknown = [name for name in names if name not in POLICY_NAMES]
    if unknown or not names:
        raise ConfigError("--policies", unknown[0] if unknown else text, ", ".join((*POLICY_NAMES, ALL)))
    return tuple(dict.fromkeys(names))
