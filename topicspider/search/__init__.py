"""Full-text search over the hits of a store. It imports nothing, so that the help of the command can tell the sorts."""

SORTS = ("best", "score", "date", "priority")
"""``best``: by the words asked for; ``score``: by relevance to the topic; ``date``: newest first; ``priority``: by the number of links on
the page, the retriever of (d) Xu 2007."""
