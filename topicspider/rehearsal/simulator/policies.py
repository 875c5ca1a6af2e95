"""The link policies that can be rehearsed: those of a crawl, and two that only a rehearsal can have."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.relevance.default_thresholds import link_threshold
from topicspider.relevance.interfaces import LinkPolicy, PolicyContext, Tokenizer
from topicspider.relevance.published_link_policies import LINK_POLICIES, AnchorPolicy
from topicspider.topic.profile import TopicModel, TopicProfile

ALL = "all"
USUAL = ("bfs", "random", "best_first", "pagerank", "ipagerank", "learned", "oracle")
"""What is compared when nobody says: baselines, published methods, a crawl's default, and one that knows the answers."""


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """What no crawl can know: fingerprints of all ``targets``, and the whole link ``graph`` (empty when nobody has read it)."""

    targets: Collection[int] = ()
    graph: Mapping[int, array[int]] = field(default_factory=dict)


def _oracle(_setup: PolicyContext, known: GroundTruth) -> LinkPolicy:
    from topicspider.rehearsal.simulator.oracle import OraclePolicy  # needs numpy, which names of policies do not

    return OraclePolicy(known.targets, known.graph)


REHEARSAL_ONLY: dict[str, Callable[[PolicyContext, GroundTruth], LinkPolicy]] = {
    "anchor": lambda setup, _known: AnchorPolicy(setup),
    "oracle": _oracle,
}
POLICY_NAMES = (*LINK_POLICIES, *REHEARSAL_ONLY)


def read_policy_names(text: str) -> tuple[str, ...]:
    """The policies of ``a,b`` or ``all``, each once, in the order given; ConfigError for another name."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == [ALL]:
        return POLICY_NAMES
    for name in names:
        if name not in POLICY_NAMES:
            raise ConfigError("--policies", name, ", ".join((*POLICY_NAMES, ALL)))
    if not names:
        raise ConfigError("--policies", text, ", ".join((*POLICY_NAMES, ALL)))
    return tuple(dict.fromkeys(names))


def rehearsal_policy(
    name: str,
    profile: TopicProfile,
    segmenter: Tokenizer,
    options: Options,
    known: GroundTruth,
    model: TopicModel | None = None,
) -> LinkPolicy:
    """The policy called ``name``, set up as a crawl with these options sets it up; ``model``: for policies that learn."""
    given = options.link_threshold if options.link_threshold >= 0 else None
    limit = link_threshold(profile.topic, name, given)
    setup = PolicyContext(profile, segmenter, limit, options.seed, options.faithful, model)
    if name in REHEARSAL_ONLY:
        return REHEARSAL_ONLY[name](setup, known)
    return LINK_POLICIES[name](setup)
