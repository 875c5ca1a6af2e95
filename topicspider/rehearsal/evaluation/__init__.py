"""What runs are worth: measures, comparisons, files, tables."""
