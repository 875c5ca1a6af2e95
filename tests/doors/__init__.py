"""Doors: where users and Scrapy come in. Commands, the spider and Scrapy components in whole crawls, as a user runs them."""
