"""A Scrapy project that crawls the web by topic (主题爬虫)."""

__version__ = "0.1.0"
