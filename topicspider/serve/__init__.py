"""The web page over crawls and what they found: ``scrapy serve``."""
