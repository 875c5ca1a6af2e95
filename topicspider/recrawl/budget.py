"""How many visits a round has; it imports nothing, so that the help of the command can tell."""

USUAL_BUDGET = 1000
MOST_VISITS = 10_000_000
