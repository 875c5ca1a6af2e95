"""A Scrapy project that crawls the web by topic (主题爬虫)."""
