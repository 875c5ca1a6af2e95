"""What judging a page by all classes of the catalogue costs beside judging it by one topic: as a ratio, in milliseconds, and in memory.

Usage: python -m benchmarks.micro.bench_topic_matrix
"""

from __future__ import annotations

import random
import tracemalloc

from benchmarks.micro.bench_relevance import WORDS, made_body, milliseconds
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.text.lexicon import idf, word_vectors
from topicspider.text.segment import make_segmenter
from topicspider.text.vocabulary import english
from topicspider.topic.class_topics import class_topics
from topicspider.topic.compiling import compile_topic
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic

PAGES = 50


def main() -> None:
    """A page of 1,000 words by one topic, and by the classes as well."""
    rng = random.Random(1)
    bodies = [made_body(rng) for _ in range(PAGES)]
    pages = [PageWords(body[:12], body) for body in bodies]
    segmenter = make_segmenter()
    profile = learn(load_topic("tourism"), segmenter)
    judge = PageJudge(profile, "learned", model=compile_topic(profile))
    topics = class_topics()
    word_vectors(), idf("旅游"), english()  # what any topic that is learned reads
    tracemalloc.start()
    matrix = TopicMatrix(topics, segmenter)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    one = milliseconds(lambda: [judge.judge(words) for words in pages]) / PAGES
    all_classes = milliseconds(lambda: [matrix.scores(words) for words in pages]) / PAGES
    print(
        f"{WORDS} words: one topic {one:.3f} ms; {len(topics)} classes {all_classes:.3f} ms more, {all_classes / one:.2f} of it; "
        f"{megabytes:.0f} MB more"
    )


if __name__ == "__main__":
    main()
