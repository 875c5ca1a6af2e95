"""Tuning: a person's verdicts on pages that were crawled, and the threshold that follows."""
