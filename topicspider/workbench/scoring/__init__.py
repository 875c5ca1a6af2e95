"""Scoring anything: lines of text and JSON, without a crawl."""
