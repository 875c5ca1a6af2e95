"""Settings of this project: turns the add-on on; docs/settings.md lists what can be set, here or by environment variables.

What the add-on makes of Scrapy's chains (engine first):

    downloader   outcome 10, error pages 30 (pages that are none, the browser), documents 40, sitemaps 45, offsite 50, guard 60,
                 login 300, default headers 400, user agent 500, meta refresh 580, decompression 590,
                 redirects 600, proxy 750, politeness 760 (robots.txt), download handler
    spider       http errors 50, relevance 950 (judges links, prunes, makes Requests), spider
    pipelines    snapshot 250, store 300
"""

import os
from pathlib import Path

from topicspider.setting_names import from_environment

BOT_NAME = "topicspider"
SPIDER_MODULES = ["topicspider.spiders"]
NEWSPIDER_MODULE = "topicspider.spiders"
COMMANDS_MODULE = "topicspider.commands"
ADDONS = {"topicspider.addon.TopicSpiderAddon": 100}

LOG_LEVEL = "INFO"
COOKIES_ENABLED = False
HTTPCACHE_DIR = str(Path("data/httpcache").absolute())  # Scrapy's own place needs a scrapy.cfg above this folder
HTTPCACHE_IGNORE_HTTP_CODES = [429, 500, 502, 503, 504]

# Each of these costs time on every page, and the relevance middleware does its work (bench: docs/performance.md).
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
}
EXTENSIONS = {"scrapy.extensions.logstats.LogStats": None}  # the live line says more

globals().update(from_environment(os.environ))  # TOPICSPIDER_STORE=… in the environment, as of a container; -s wins
