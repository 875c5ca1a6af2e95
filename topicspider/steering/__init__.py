"""What may change the course of a crawl while it runs: new fits, shared models, edited topics, and when to stop."""
