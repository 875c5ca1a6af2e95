"""Crawls of webs at rest in virtual time, by the parts of the real crawl."""
