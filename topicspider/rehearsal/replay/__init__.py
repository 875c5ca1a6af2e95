"""Serves a recorded or synthetic web under its own host names, as a proxy on this machine."""
