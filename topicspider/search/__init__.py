"""Full-text search over the hits of a store. This file imports nothing, so that the command's help can list the sorts quickly."""

SORTS = ("best", "score", "date", "priority")
"""``best``: by match with the query (BM25); ``score``: by relevance to the topic; ``date``: newest first; ``priority``: by the number of
links on the page, as in the retriever of (d) Xu 2007."""
