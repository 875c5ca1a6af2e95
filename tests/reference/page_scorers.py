"""The page scorers as the papers write them, over plain lists of words; no thought of speed."""

from __future__ import annotations

from math import log, sqrt


def feature_vector(words, profile):
    """Frequency of each of the topic's words, synonyms counted as the word they stand for."""
    counts = dict.fromkeys(profile.weights, 0)
    for word in words:
        feature = word if word in profile.weights else profile.synonyms.get(word)
        if feature in counts:
            counts[feature] += 1
    return counts


def boolean(words, profile):
    """(b): the size of the intersection."""
    return sum(1 for count in feature_vector([*words.title, *words.body], profile).values() if count)


def a4bc(words, profile):
    """(b): (A, B, C) with B = cos(topic, title), C = cos(topic, body), A = 4·B + C."""
    b, c = (thesis_cosine(part, profile) for part in (words.title, words.body))
    return 4 * b + c, b, c


def thesis_cosine(words, profile):
    """(b): x = 1 for the most frequent keyword, the others in ratio; component x·w; cosine with α = (w1…wn)."""
    counts = feature_vector(words, profile)
    most = max(counts.values(), default=0)
    if not most:
        return 0.0
    names = list(profile.weights)
    alpha = [profile.weights[name] for name in names]
    beta = [counts[name] / most * profile.weights[name] for name in names]
    return formula_4(alpha, beta)


def formula_4(first, second):
    """(a) formula 4: Σ w1k·w2k / sqrt(Σ w1k² · Σ w2k²)."""
    return sum(x * y for x, y in zip(first, second, strict=True)) / sqrt(
        sum(x * x for x in first) * sum(y * y for y in second)
    )


def vsm(words, profile, title_weight, page_words):
    """(a): cosine over the topic's words and the page's own most frequent ones, weights 1 + ln f."""
    counts: dict[str, int] = {}
    for part, times in ((words.title, title_weight), (words.body, 1)):
        for word in part:
            name = word if word in profile.weights else profile.synonyms.get(word, word)
            counts[name] = counts.get(name, 0) + times
    own = sorted((word for word in counts if word not in profile.weights), key=lambda word: -counts[word])[:page_words]
    names = [*profile.weights, *own]
    page = [1 + log(counts[name]) if counts.get(name) else 0.0 for name in names]
    topic = [profile.weights.get(name, 0.0) for name in names]
    return formula_4(topic, page) if any(page) else 0.0


def bm25(words, profile, title_weight, mean_length, half_words):
    """BM25 with k1 = 1.2, b = .75; title counts raised and not held against the length; s / (s + h)."""
    title, body = feature_vector(words.title, profile), feature_vector(words.body, profile)
    score = 0.0
    for word, weight in profile.weights.items():
        frequency = body[word] / (1 - 0.75 + 0.75 * len(words.body) / mean_length) + title_weight * title[word]
        score += weight * profile.idf[word] * frequency * 2.2 / (frequency + 1.2)
    return score / (score + half_words * max(weight * profile.idf[word] for word, weight in profile.weights.items()))
