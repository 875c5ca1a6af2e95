"""Visits to known pages, again. It imports nothing, so that the help of the command can tell the budget."""

USUAL_BUDGET = 1000
"""Visits a round, when none are asked for."""
