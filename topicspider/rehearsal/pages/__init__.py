"""Pages of a web at rest, read once and kept."""
