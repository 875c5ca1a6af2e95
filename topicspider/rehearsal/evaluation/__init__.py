"""How good runs are: labels, measures, comparisons, result files and tables."""
