"""The actions of ``scrapy frontier``, in the order in which the help names them."""

from __future__ import annotations

from topicspider.workbench.queueing import carrying, looking, steering

ACTIONS = (*looking.ACTIONS, *steering.ACTIONS, *carrying.ACTIONS)
