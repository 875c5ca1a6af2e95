"""Names every key of ``request.meta`` that this project reads or writes, and says which end with the attempt."""

from __future__ import annotations

# of the link, kept in the frontier's entry
SCORE = "topicspider_score"
"""The link's value, which decides the order of the queue."""
REFERRER = "topicspider_referrer"
"""URL of the page that the link stood on."""
DEPTH = "depth"
"""Scrapy's: links from a seed."""

# of the request, kept for every attempt
REVISIT = "topicspider_revisit"
"""A page that the store has is asked for again."""
SITEMAP_LEVEL = "topicspider_sitemap"
"""1 for a sitemap of robots.txt, 2 for a part of it, …"""
CUT_AT = "topicspider_cut_at"
"""Bytes of the body to read; the rest is left unread."""

# of one attempt
OUTCOME = "topicspider_outcome"
"""How the attempt ended, a name of download.outcome."""
STATUS = "topicspider_status"
"""HTTP status of the answer, when one came."""
DOCUMENT = "topicspider_document"
"""What a PDF or DOCX was turned into (crawled_page.ReadBody)."""
LISTING = "topicspider_listing"
"""The sitemap or feed that was read (crawled_page.ReadBody)."""
PAGE = "topicspider_page"
"""The CrawledPage that was made of the answer."""
REST_SECONDS = "topicspider_rest_seconds"
"""How long the host must be left alone now."""
ROBOTS_REQUEST = "topicspider_robots"
"""This is our own request for a robots.txt."""
WITHIN_TURN = "topicspider_within_turn"
"""The host whose turn a page holds that is drawn in a browser."""
DOWNLOAD_SECONDS = "topicspider_download_seconds"
"""From the beginning of the download to the last byte."""
CONNECT_SECONDS = "connect_seconds"
"""Look-up, connection and TLS; absent when a connection was kept alive."""
RESPONSE_SECONDS = "response_seconds"
"""From the request sent to the head of the answer."""
REQUESTS_PER_CONNECTION = "requests_per_connection"
"""How many the server allows before it closes; absent when it told nothing."""

TIMINGS = (DOWNLOAD_SECONDS, CONNECT_SECONDS, RESPONSE_SECONDS, REQUESTS_PER_CONNECTION)

PASSING = frozenset(
    {
        *(SCORE, REFERRER, DEPTH, OUTCOME, STATUS, DOCUMENT, LISTING, PAGE, REST_SECONDS, WITHIN_TURN, *TIMINGS),
        *("download_latency", "download_slot", "download_timeout", "proxy", "_auth_proxy", "_scheme_proxy"),
        *("is_start_request", "priority", "topicspider_wait_seconds"),
    }
)
"""Set by Scrapy's engine, a middleware or this project for one attempt, or kept in the entry itself; never in its payload."""
