"""Says which links of a page belong together: those of one list, menu or paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading

SEVERAL = 3
"""Items that make a list: an entry of one often has two links, its picture and its headline."""


def duplicate_groups(reading: Reading) -> list[int]:
    """For each anchor the index of the nearest container that holds at least SEVERAL link items, else of the outermost; -1 outside of all.

    An item is a link that stands in the container itself, or a child container with links below it; a link repeated
    in its place (picture and headline of one target) counts once. Linear in anchors and containers.
    """
    items = _items(reading)
    containers = reading.containers
    known: list[int] = [-1] * len(containers)
    result = []
    for anchor in reading.anchors:
        at, passed = anchor.container, []
        while at >= 0 and known[at] < 0:
            parent = containers[at].parent
            if items[at] >= SEVERAL or parent < 0:
                known[at] = at
                break
            passed.append(at)
            at = parent
        group = known[at] if at >= 0 else -1
        for container in passed:
            known[container] = group
        result.append(group)
    return result


def _items(reading: Reading) -> list[int]:
    """Of each container the number of its link items."""
    containers = reading.containers
    items = [0] * len(containers)
    last_container, last_href = -1, ""
    for anchor in reading.anchors:
        at = anchor.container
        if at < 0 or (at == last_container and anchor.href == last_href):
            continue
        last_container, last_href = at, anchor.href
        is_new = not items[at]
        items[at] += 1
        while is_new and (parent := containers[at].parent) >= 0:
            is_new = not items[parent]
            items[parent] += 1
            at = parent
    return items
