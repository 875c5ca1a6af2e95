"""Link policies: which links to follow and in which order, one method a file."""
