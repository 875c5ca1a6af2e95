"""Keeps what is on the topic."""

from scrapy.exceptions import DropItem


class OnTopicPipeline:
    """Drops items whose page is off topic."""

    def process_item(self, item):
        if not item["on_topic"]:
            raise DropItem(f"off topic: {item['score']:.3f}", log_level="DEBUG")
        return item
