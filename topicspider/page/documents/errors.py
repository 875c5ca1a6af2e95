"""The error by which a reader of documents says that there is nothing to read."""

from __future__ import annotations

from topicspider.errors import TopicSpiderError
from topicspider.page.documents.document import Failure


class Unreadable(TopicSpiderError):
    """Never leaves the room: the worker turns it into its answer."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.value)
