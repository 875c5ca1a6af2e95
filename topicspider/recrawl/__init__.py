"""Revisits known pages. This file imports nothing, so that the command's help can tell the budget quickly."""

USUAL_BUDGET = 1000
"""Default number of visits in a round."""
