"""The scheduler for projects that used scrapy-redis; it needs only their connection settings and their list of first URLs."""

from __future__ import annotations

from topicspider.scheduler import TopicScheduler


class RedisScheduler(TopicScheduler):
    """``SCHEDULER = "topicspider.redis_scheduler.RedisScheduler"``: one queue for all nodes, in the Redis of REDIS_URL.

    The queue is in the Redis of REDIS_URL (or REDIS_HOST, REDIS_PORT, REDIS_DB and REDIS_PARAMS), unless TOPICSPIDER_FRONTIER names
    another. ``lpush topic:start_urls URL`` (or JSON with ``url``; the key is set by REDIS_START_URLS_KEY) is taken by a running node within
    about a second. The settings are read in redis_settings.py and crawl_config.py; nothing else is special.
    """
