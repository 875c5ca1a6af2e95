"""Who says what is on topic, and where crawls start."""
