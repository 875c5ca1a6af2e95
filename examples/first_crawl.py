"""Crawl a topic, and print each hit as it comes: python first_crawl.py [TOPIC [SEED …]]"""

import sys

from topicspider import crawl
from topicspider.errors import TopicSpiderError

topic, *seeds = sys.argv[1:] or ["tourism"]
try:
    crawl(topic, lambda hit: print(f"{hit.relevance:.2f}  {hit.title}  {hit.url}"), seeds=seeds, max_pages=50)
except TopicSpiderError as error:  # one line: no network, an unknown topic …
    sys.exit(str(error))
