"""What learns while the crawl runs: fitting, its examples, and where it is computed."""
