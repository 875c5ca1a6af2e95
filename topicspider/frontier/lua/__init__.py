"""Lua of the frontier in Redis: data, in a package so that archives hold it."""
