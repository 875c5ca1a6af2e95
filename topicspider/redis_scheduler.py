"""The scheduler for projects that used scrapy-redis: its connection settings, and its list of first URLs, are all that is needed."""

from __future__ import annotations

from topicspider.scheduler import TopicScheduler


class RedisScheduler(TopicScheduler):
    """``SCHEDULER = "topicspider.redis_scheduler.RedisScheduler"``: one queue for all nodes, in the Redis of REDIS_URL.

    The queue lies where REDIS_URL, or REDIS_HOST, REDIS_PORT, REDIS_DB and REDIS_PARAMS point, unless TOPICSPIDER_FRONTIER names another
    place. ``lpush topic:start_urls URL`` (or JSON with ``url``; the key is REDIS_START_URLS_KEY's) is picked up by one of the nodes within
    about a second, while they run. All that is special is in how those settings are read (redis_settings.py, crawl_config.py).
    """
