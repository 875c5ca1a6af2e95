"""The figures of a running crawl for Prometheus: what they are, at which address, and who may read them."""
