"""Small webs whose pages are written down as they were read already."""

from __future__ import annotations

from array import array

from topicspider.page.links import Link
from topicspider.rehearsal.archive.feature_file import Answer, PageFeatures
from topicspider.url import fingerprint


def page(url, *targets, title=(), body=(), simhash=0, seconds=None, anchors=None, robots=frozenset()):
    """An answer with a page that links to ``targets``; ``anchors``: target to anchor text."""
    links = tuple(Link(target, anchor=(anchors or {}).get(target, ""), position=i) for i, target in enumerate(targets))
    features = PageFeatures(
        title="".join(title),
        subject_words=tuple(title),
        body_words=tuple(body),
        links=links,
        simhash=simhash,
        robots=robots,
    )
    return Answer(url, 200, features, seconds=seconds)


def redirect(url, target):
    """An answer that leads to ``target``."""
    return Answer(url, 302, target=target)


class SmallArchive:
    """An ArchivedWeb over a list of answers; ``robots``: host key to the text of its robots.txt."""

    name = "小网"
    digest = "small"
    notes = ()

    def __init__(self, *answers, robots=None, start=None):
        self._answers = {answer.url: answer for answer in answers}
        self._robots = robots or {}
        self.start_pages = start or [answers[0].url]

    def answer(self, url):
        return self._answers.get(url, Answer(url))

    def robots(self, host):
        text = self._robots.get(host)
        return None if text is None else text.encode()

    def graph(self):
        return {
            fingerprint(one.url): array(
                "q", [fingerprint(one.target)] if one.target else [fingerprint(link.url) for link in one.features.links]
            )
            for one in self._answers.values()
            if one.target or one.features
        }

    def urls(self):
        return iter(self._answers)

    def __len__(self):
        return len(self._answers)

    def close(self):
        pass
