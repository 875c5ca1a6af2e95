"""Figures of a running crawl for Prometheus: what they are, where they are asked for, who may ask."""
