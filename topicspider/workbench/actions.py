"""The actions of ``scrapy topics``, in the order in which the help names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.workbench import checking, listing, showing
from topicspider.workbench.scoring import action as scoring

if TYPE_CHECKING:
    from topicspider.workbench.action import Action

# one line an action
ACTIONS: tuple[Action, ...] = (
    listing.ACTION,
    showing.ACTION,
    checking.ACTION,
    scoring.ACTION,
)
