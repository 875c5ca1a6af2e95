"""Serves a web at rest under its own host names, as a proxy on this machine."""
