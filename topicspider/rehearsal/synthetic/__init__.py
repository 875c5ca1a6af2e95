"""A synthetic web, computed on demand, whose true topics are known, so that crawls of it can be judged."""
