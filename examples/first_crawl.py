"""Crawl a topic, and print each hit as it comes: python first_crawl.py [TOPIC [SEED …]]"""

import sys

from topicspider import crawl

topic, *seeds = sys.argv[1:] or ["tourism"]
crawl(topic, lambda hit: print(f"{hit.relevance:.2f}  {hit.title}  {hit.url}"), seeds=seeds, max_pages=50)
