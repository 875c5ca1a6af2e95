"""An ordinary spider: it reads what topicspider thinks of each page."""

import scrapy

from topicspider.crawl_components import CrawlComponents


class ShopSpider(scrapy.Spider):
    """scrapy crawl shop -a start=https://…"""

    name = "shop"

    async def start(self):
        yield scrapy.Request(self.start_url)

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_url = start

    def parse(self, response):
        judged = CrawlComponents.of(self.crawler).page_of(response)  # made once, also when others ask
        score = judged.scores["tourism"]  # value, on_topic, threshold, parts
        yield {"url": response.url, "title": judged.page.title, "score": score.value, "on_topic": score.on_topic}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)  # judged by its anchor: pruned, or queued by its worth
