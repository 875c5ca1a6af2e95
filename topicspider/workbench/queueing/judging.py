"""How the topics of a crawl judge addresses now, outside of the crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.cli.judge import load_judge as open_bench
from topicspider.cli.judge import load_model as take_over
from topicspider.page.copies import CopyMemory
from topicspider.relevance.joint_worths import JointWorths
from topicspider.steering.rejudging import Judging
from topicspider.topic.url_filter import UrlFilter

if TYPE_CHECKING:
    from topicspider.plan import CrawlPlan


def judging_of(plan: CrawlPlan, *, chinese: bool) -> tuple[Judging, str]:
    """By the newest model that the crawl has published, which the second names in one line ("" when nothing learns).

    Without traps: these addresses came past them when they were found.
    """
    views = [open_bench(topic.source, plan.options).view for topic in plan.topics]
    model = take_over(views, plan.options, plan.folder, plan.name)
    judging = Judging(views, UrlFilter(plan.limits), JointWorths(len(views)), CopyMemory())
    return judging, model.words()
