"""Learns a topic before the crawl: its feature words with weights, from terms and sample texts ((a) Li 2002, formula 4).

Only this module uses gensim; it is imported inside functions, because that takes longer than importing Scrapy.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from topicspider.errors import TopicError
from topicspider.text import lexicon
from topicspider.text.language import is_small_word, language_of
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.segment import Segmenter
from topicspider.topic.disk_cache import cached, digest
from topicspider.topic.loading import shipped_topics
from topicspider.topic.profile import Topic, TopicProfile
from topicspider.topic.spelling import other_forms

FEATURES = 60
# Least frequency of a phrase in the texts, least normalised pointwise mutual information (NPMI) of its words, most characters
_LEAST_PHRASES, _FIRMNESS, _LONGEST_PHRASE = 3, 0.5, 30

# 六个, 第三天, 一万公里
_AMOUNT = re.compile("[第每]?[一二三四五六七八九十百千万两半]+(?:公里|公斤|.)?")


def learn(topic: Topic, segmenter: Segmenter) -> TopicProfile:
    """The profile of ``topic``: up to FEATURES feature words, or all the given terms if they are more.

    Given terms (without any, the title's words) keep their proportions, with 1 for the strongest; words learned from the texts have lower
    weights, but up to 1 with texts only. Adds the topic's words to ``segmenter``, so that pages are segmented as the topic is. The same
    topic, segmenter and shipped topics give the same profile. Raises TopicError when a named topic has no word to judge by.
    """
    aliases = {alias: term for term, words in topic.synonyms.items() for alias in words}
    segmenter.add_words([*topic.terms, *topic.synonyms, *aliases, *topic.negative, *topic.near])
    given = _scaled(shared_out(topic.terms, segmenter) or _title_weights(topic.title.values(), segmenter), 1.0)
    negative = _single_words(topic.negative, segmenter)
    taken = {*_single_words(dict.fromkeys(aliases, 1.0), segmenter), *negative}
    learned = {word: weight for word, weight in _learned(topic, segmenter).items() if word not in taken}
    weights = _combined(given, learned)
    if topic.name and not weights:
        allowed = "at least one word that is no stop word (的, the), single letter or sign in terms, texts or title"
        raise TopicError(topic.source or topic.name, "empty topic", [*topic.terms, *topic.title.values()], allowed)
    negative = {word: weight for word, weight in negative.items() if word not in weights}
    synonyms = _synonyms(aliases, weights, segmenter)
    taken = {*weights, *synonyms, *negative, *map(normalise, topic.near)}
    languages = {*topic.languages, *topic.title}
    for word in weights:  # forms that the segmenter already maps to the word are left out
        forms = [form for form in other_forms(word, languages) if form not in taken]
        synonyms |= {form: word for form in forms if word not in segmenter.words(form)}
    idf = {word: round(lexicon.idf(word), 6) for word in weights}
    content = {key: value for key, value in asdict(topic).items() if key != "source"}  # differs between machines
    name = digest([content, segmenter.name, weights, synonyms, negative, idf])
    return TopicProfile(topic, weights, synonyms, negative, idf, name)


def terms_without_words(topic: Topic, segmenter: Segmenter) -> list[str]:
    """The terms of which the segmenter keeps no word (的, C): they find nothing."""
    segmenter.add_words(topic.terms)
    return [term for term in topic.terms if not segmenter.words(term)]


def learn_terms(texts: Sequence[str], segmenter: Segmenter) -> dict[str, float]:
    """Words and phrases (乡村旅游, real estate) that ``texts`` are about, with weights up to 1, the heaviest first."""
    weights = learn(Topic(name="", texts=tuple(texts)), segmenter).weights
    best = dict(list(weights.items())[:40])
    phrases = {
        phrase: max(weights[word] for word in words if word in weights)
        for phrase, words in _phrases(texts, segmenter).items()
        if any(word in best for word in words)
    }
    return dict(sorted({**best, **phrases}.items(), key=lambda item: (-item[1], item[0])))


def _phrases(texts: Sequence[str], segmenter: Segmenter) -> dict[str, tuple[str, str]]:
    """gensim's phrases of two words that occur in the texts, each with its words; at most ten, the most frequent first."""
    documents = [segmenter.words(text) for text in texts]
    if not any(documents):
        return {}
    logging.getLogger("gensim").setLevel(logging.WARNING)
    from gensim.models.phrases import Phrases

    model = Phrases(documents, min_count=_LEAST_PHRASES, threshold=_FIRMNESS, scoring="npmi", delimiter="\t")
    whole = "\n".join(map(normalise, texts))
    found: Counter[tuple[str, str, str]] = Counter()
    for joined in model.export_phrases():
        first, second = joined.split("\t")
        phrase = f"{first}{'' if has_cjk(joined) else ' '}{second}"
        # the list of words lacks stop words, so its neighbours need not be neighbours in the text
        times = whole.count(phrase)
        if times >= _LEAST_PHRASES and _is_telling(first) and _is_telling(second) and len(phrase) <= _LONGEST_PHRASE:
            found[(phrase, first, second)] = times
    ranked = sorted(found, key=lambda key: (-found[key], key))[:10]
    return {phrase: (first, second) for phrase, first, second in ranked}


def shared_out(terms: Mapping[str, float], segmenter: Segmenter) -> dict[str, float]:
    """Word to weight for ``terms``; a term that the segmenter splits (``real estate``) shares its weight among its words."""
    weights: dict[str, float] = {}
    for term, weight in terms.items():
        words = segmenter.words(term)
        for word in words:
            weights[word] = max(weights.get(word, 0.0), weight / len(words))
    return weights


def _title_weights(titles: Iterable[str], segmenter: Segmenter) -> dict[str, float]:
    """Word to weight: each title as one word with weight 1; the words in it share .5 (新能源汽车: 汽车 alone is a weak sign)."""
    weights: dict[str, float] = {}
    for title in titles:
        parts = segmenter.words(title)
        # a longer title in a script without spaces is a sentence, no word such as 茶叶, C++ or Photographie
        is_short = len(title) <= 8 or title[0] < "\u0590"
        if is_short and " " not in title and any(map(str.isalnum, title)):
            segmenter.add_words([title])
        whole = segmenter.words(title)
        telling = [word for word in parts if len(word) > 1]
        found = {word: 0.5 / len(telling) for word in telling} | {word: 1.0 / len(whole) for word in whole}
        weights |= {word: max(weight, weights.get(word, 0.0)) for word, weight in found.items()}
    return weights


def _single_words(weights: Mapping[str, float], segmenter: Segmenter) -> dict[str, float]:
    """The entries that are segmented into exactly one word, by that word: part of a phrase would mean something else."""
    cut = {text: segmenter.words(text) for text in weights}
    return {words[0]: weights[text] for text, words in cut.items() if len(words) == 1}


def _synonyms(aliases: Mapping[str, str], weights: Mapping[str, float], segmenter: Segmenter) -> dict[str, str]:
    """Alias to feature word, both single words; aliases that are feature words themselves are left out."""
    found: dict[str, str] = {}
    for alias, term in aliases.items():
        alias_words, term_words = segmenter.words(alias), segmenter.words(term)
        if len(alias_words) == len(term_words) == 1 and term_words[0] in weights and alias_words[0] not in weights:
            found[alias_words[0]] = term_words[0]
    return found


def _combined(given: Mapping[str, float], learned: Mapping[str, float]) -> dict[str, float]:
    """The given weights unchanged, and the best learned words below them, up to FEATURES in all; strongest first."""
    # a learned word weighs at most half as much as the strongest given word, and less than any given word
    ceiling = min(0.5, 0.9 * min(given.values())) if given else 1.0
    new = {word: weight for word, weight in learned.items() if word not in given}
    best = sorted(new, key=lambda word: (-new[word], word))[: max(0, FEATURES - len(given))]
    weights = {**given, **_scaled({word: new[word] for word in best}, ceiling)}
    # rounded, so that differences in a platform's floating point do not matter; never to 0
    rounded = {word: max(round(weight, 6), 1e-6) for word, weight in weights.items()}
    return dict(sorted(rounded.items(), key=lambda item: (-item[1], item[0])))


def _scaled(weights: Mapping[str, float], top: float) -> dict[str, float]:
    strongest = max(weights.values(), default=0.0)
    return {word: top * weight / strongest for word, weight in weights.items()} if strongest > 0 else {}


def _learned(topic: Topic, segmenter: Segmenter) -> dict[str, float]:
    """Word to score: its mean TF-IDF in the texts, times its idf in the language, times the share of texts that use it."""
    documents = [words for words in map(segmenter.words, topic.texts) if words]
    if not documents:
        return {}
    counts = Counter(word for words in documents for word in words)
    spread = Counter(word for words in documents for word in set(words))
    # texts this long repeat their subject; a word that occurs once is chance
    least = 2 if counts.total() >= 150 else 1
    language = language_of("\n".join(topic.texts))
    contrast = [segmenter.words(text) for text in _contrast_texts(topic)]
    tfidf = cached("learned", [documents, contrast], lambda: _mean_tfidf(documents, contrast), dict, _numbers)
    scores = {
        word: score * lexicon.idf(word) * spread[word] / len(documents)
        for word, score in tfidf.items()
        if counts[word] >= least and _is_telling(word) and not is_small_word(word, language)
    }
    # words of general use score lower (分为, 重要)
    floor = 0.1 * max(scores.values(), default=0.0)
    return {word: score for word, score in scores.items() if score >= floor}


def _numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {word: float(score) for word, score in found.items()}


def _mean_tfidf(documents: Sequence[list[str]], contrast: Sequence[list[str]]) -> dict[str, float]:
    """gensim's TF-IDF of each word, averaged over ``documents``; ``contrast`` texts count only for document frequencies."""
    logging.getLogger("gensim").setLevel(logging.WARNING)  # it reports each dictionary it builds
    from gensim.corpora import Dictionary
    from gensim.models import TfidfModel

    dictionary = Dictionary([*documents, *contrast])
    model = TfidfModel(dictionary=dictionary, wlocal=_damped, wglobal=_global_weight)
    total: dict[str, float] = defaultdict(float)
    for words in documents:
        for word_id, weight in model[dictionary.doc2bow(words)]:
            total[dictionary[word_id]] += float(weight)
    return {word: weight / len(documents) for word, weight in total.items()}


def _damped(counts: Any) -> Any:
    """Term frequency damped to 1 + log2(tf): the tenth use of a word says less than the second. Takes and returns an array."""
    import numpy as np

    return 1.0 + np.log2(counts)


def _global_weight(document_count: int, total_documents: int) -> float:
    """log2(1 + N / df): above 0 even for a word in every text, such as a topic's own word without contrast texts."""
    return math.log2(1.0 + total_documents / document_count)


def _is_telling(word: str) -> bool:
    """Whether a word may be learned as a feature: no number or amount, no single character, no Latin word of two letters."""
    shortest = 2 if has_cjk(word) or "가" <= word[:1] <= "힣" else 3
    return len(word) >= shortest and not any(char.isdigit() for char in word) and not _AMOUNT.fullmatch(word)


def _contrast_texts(topic: Topic) -> list[str]:
    """The texts of the other shipped topics: words that they share with the topic's texts are not specific to it."""
    names = {topic.name, *topic.title.values()}
    own = set(topic.texts)
    others = [other for other in shipped_topics() if not names & {other.name, *other.title.values()}]
    return [text for other in others for text in other.texts if text not in own]
