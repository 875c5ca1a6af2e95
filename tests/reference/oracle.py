"""The distance of a page to its nearest unfetched target, by search from the page itself."""

from __future__ import annotations


def distance(page, web, targets, fetched):
    """``web``: page to its links. Ways through fetched pages do not count; None when there is no way."""
    level, seen, steps = {page}, {page}, 0
    while level:
        if level & (targets - fetched):
            return steps
        level = {link for one in level for link in web.get(one, ()) if link in web} - seen - fetched
        seen |= level
        steps += 1
    return None
