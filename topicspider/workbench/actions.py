"""The actions of ``scrapy topics``, in the order in which the help names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.workbench import checking, listing, making, showing, storing
from topicspider.workbench.scoring import action as scoring
from topicspider.workbench.seeding import action as seeding
from topicspider.workbench.tuning import action as tuning

if TYPE_CHECKING:
    from topicspider.workbench.action import Action

# one line an action
ACTIONS: tuple[Action, ...] = (
    listing.ACTION,
    showing.ACTION,
    checking.ACTION,
    making.ACTION,
    scoring.ACTION,
    tuning.ACTION,
    seeding.ACTION,
    storing.STORE,
    storing.UNSTORE,
)
