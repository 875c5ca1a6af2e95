"""A web made up on demand, with a truth to judge crawls by."""
