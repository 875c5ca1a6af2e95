"""Asks the sentence encoder which of some texts are on topic: it trains itself on those that the prior is surest of.

Tier semantic. The encoder reads whole texts where the other judges count words; a logistic regression on its vectors starts from what the
prior and the encoder's own cosine rank first, and is fitted again on what it then ranks first itself. Vectors take milliseconds each, so
this belongs into a fit, off the event loop; what is learned of words is fitted on what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicspider.text.encoder import encoder, require

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.relevance.judgement import PageWords

    Floats = NDArray[np.float64]

LONGEST = 120
"""Characters that are read of a title: 5 ms. Most have 30 and take 1.3."""
FEWEST = 10
"""Positives below which it has no opinion: a regression of 510 numbers on fewer texts is chance."""
OF_COSINE = 0.7
"""What the encoder's cosine counts beside the prior where the training begins, both in units of their spread."""
# Half as many as the prior calls on topic are taken for certain; texts of the lower four fifths for off topic, no more than so many of them
_POSITIVES, _UNDECIDED, _MOST_NEGATIVES = 0.5, 0.2, 2_000
_ROUNDS, _PENALTY, _ITERATIONS = 3, 1 / 3, 15
_REMEMBERED = 3_000
_LIMIT = 9.0
OF_PRIOR = 0.2
"""What is thought of a text without it goes on to count so much beside its opinion (titles, six labels: AP .731 with, .726 without)."""
# It was fitted on the surest, so it is too modest: F1 of titles (six labels) is best where it gives log-odds of -2 to -2.5
_MODESTY = 1.6


class Teacher:
    """One topic's, by the weights of its words. The same texts and priors give the same opinions (R5); one thread at a time."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        require()  # a missing extra is said before the crawl, not in the first fit
        self._weights = {word: weight for word, weight in sorted(weights.items()) if weight > 0.0}
        self._query: NDArray[np.float32] | None = None
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def opinions(self, texts: Sequence[str], priors: Floats, watershed: float) -> Floats | None:
        """Log-odds for each text, ``priors`` heard as well; None when too few of ``priors`` (log-odds) stand above the ``watershed`` to begin with."""
        import numpy as np

        read = np.array([bool(text) for text in texts])
        if not read.all():  # what it does not read stays as the prior thinks
            some = [text for text in texts if text]
            found = self.opinions(some, priors[read], watershed) if some else None
            if found is None:
                return None
            whole: Floats = priors.copy()
            whole[read] = found
            return whole
        count = int(_POSITIVES * int(np.sum(priors > watershed)))
        if count < FEWEST or count > len(texts) * (1.0 - _UNDECIDED):
            return None
        rows = self._rows(texts)
        ranks = _in_spreads(priors) + OF_COSINE * _in_spreads(rows @ self._direction())
        for _ in range(_ROUNDS):
            ranks = _fitted(rows, np.round(ranks, 4), count)
        opinions: Floats = np.round((1.0 - OF_PRIOR) * (ranks + _MODESTY) + OF_PRIOR * priors, 3)
        return np.clip(opinions, -_LIMIT, _LIMIT)

    def of_pages(self, pages: Sequence[PageWords], priors: Sequence[float], watershed: float) -> list[float] | None:
        """``opinions`` of pages that are there together."""
        import numpy as np

        found = self.opinions([text_of(words) for words in pages], np.asarray(priors, float), watershed)
        return None if found is None else [float(odds) for odds in found]

    def _direction(self) -> NDArray[np.float32]:
        """The mean of the topic's words by weight: one text of them all fails once the vectors are whitened."""
        import numpy as np

        if self._query is None:
            words = list(self._weights)
            self._query = np.asarray(list(self._weights.values()), np.float32) @ encoder().encode(words)
        return self._query

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        wanted = dict.fromkeys(texts)
        unknown = [text for text in wanted if text not in self._vectors]
        known = self._vectors | dict(zip(unknown, encoder().encode(unknown), strict=True))
        self._vectors = {
            text: known[text] for text in list(wanted)[-_REMEMBERED:]
        }  # the next fit has most of them again
        return np.asarray([known[text] for text in texts], np.float32)


def text_of(words: PageWords) -> str:
    """What the encoder reads: a title that stands alone. "" for a page with a body.

    Of every third page of three labelled sites, by title and beginning, it made F1 worse (.770, .425, .855 became .800, .278, .728).
    """
    if words.body:
        return ""
    text = words.title_text
    for word in () if text else words.title:
        text += f" {word}" if text[-1:].isascii() and word[:1].isascii() else word
    return text.strip()[:LONGEST]


def _in_spreads(values: NDArray[np.floating[Any]]) -> Floats:
    exact = values.astype("float64")
    result: Floats = (exact - exact.mean()) / (float(exact.std()) or 1.0)
    return result


def _fitted(rows: NDArray[np.float32], ranks: Floats, count: int) -> Floats:
    """The log-odds of all rows after a fit on the first ``count`` against the lower ones."""
    import numpy as np
    from scipy.optimize import minimize

    order = np.argsort(-ranks, kind="stable")
    below = order[max(count, int(_UNDECIDED * len(order))) :]
    negatives = below[:: max(1, len(below) // _MOST_NEGATIVES)]
    sample = rows[np.concatenate((order[:count], negatives))]
    targets = np.repeat((1.0, 0.0), (count, len(negatives)))
    importance = np.repeat((1.0, len(below) / len(negatives)), (count, len(negatives)))

    def loss(found: Floats) -> tuple[float, Floats]:
        odds = found[0] + sample @ found[1:]
        error = importance * (1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0))) - targets)
        value = float(np.sum(importance * (np.logaddexp(0.0, odds) - targets * odds)))
        gradient = np.concatenate(([error.sum()], error @ sample + _PENALTY * found[1:]))
        return value + 0.5 * _PENALTY * float(found[1:] @ found[1:]), gradient

    begin = np.zeros(1 + rows.shape[1])
    begin[0] = np.log(count / len(below))
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS}).x
    result: Floats = found[0] + rows @ found[1:]
    return result
