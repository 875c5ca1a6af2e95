"""Page scorers: how relevant a page is to a topic, one method a file."""
