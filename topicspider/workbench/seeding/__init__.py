"""Finding seeds: candidates from search results and stored hits, chosen and written down."""
