"""OPIC as its paper states it: cash and history of all pages, one page read at a time."""

from __future__ import annotations


def read_pages(web, order):
    """Read the pages of ``order`` in turn; ``web``: page to its links. Returns (cash, history, cash of the virtual page).

    Every page starts with 1, the paper's 1/n times n.
    """
    pages = {*web, *(target for targets in web.values() for target in targets)}
    cash, history = dict.fromkeys(pages, 1.0), dict.fromkeys(pages, 0.0)
    virtual = 0.0
    for page in order:
        history[page] += cash[page]
        children = set(web[page]) - {page}
        amount, cash[page] = cash[page], 0.0
        for child in children:
            cash[child] += amount / len(children)
        virtual += 0.0 if children else amount
    return cash, history, virtual
