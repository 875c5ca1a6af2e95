"""The Lua files of the frontier in Redis; they lie in a package so that archives include them."""
