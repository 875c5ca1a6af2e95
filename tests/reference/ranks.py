"""PageRank and IPageRank by power iteration, as formulas 2 and 3 of (a) Li 2002 stand on paper."""

from __future__ import annotations


def ipagerank(links, damping=0.85, rounds=300):
    """``links``: page to {target: RW}. IPR(A) = (1-d) + d · Σ_i IPR(T_i) · RW(T_i→A) / Σ_j RW(T_i→j)."""
    nodes = {*links, *(target for targets in links.values() for target in targets)}
    ranks = dict.fromkeys(nodes, 1 - damping)
    for _ in range(rounds):
        new = dict.fromkeys(nodes, 1 - damping)
        for page, targets in links.items():
            total = sum(targets.values())
            for target, rw in targets.items():
                if total > 0:
                    new[target] += damping * ranks[page] * rw / total
        ranks = new
    return ranks


def pagerank(links, damping=0.85, rounds=300):
    """``links``: page to its targets. PR(A) = (1-d) + d · Σ_i PR(T_i) / C(T_i)."""
    nodes = {*links, *(target for targets in links.values() for target in targets)}
    ranks = dict.fromkeys(nodes, 1 - damping)
    for _ in range(rounds):
        new = dict.fromkeys(nodes, 1 - damping)
        for page, targets in links.items():
            for target in targets:
                new[target] += damping * ranks[page] / len(targets)
        ranks = new
    return ranks
