"""Shark-search as its paper states it, step by step, for one link."""

from __future__ import annotations


def inherited_score(page_sim, page_inherited, decay=0.5):
    """Step 1: of the page's similarity if it is relevant at all, else of what it inherited itself."""
    if page_sim > 0:
        return decay * page_sim
    return decay * page_inherited


def potential_score(inherited, anchor_sim, context_sim, beta=0.8, gamma=0.5):
    """Steps 4 to 6: the context of a relevant anchor counts in full."""
    context_score = 1 if anchor_sim > 0 else context_sim
    neighborhood_score = beta * anchor_sim + (1 - beta) * context_score
    return gamma * inherited + (1 - gamma) * neighborhood_score
