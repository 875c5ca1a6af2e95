"""Sphinx configuration: Markdown pages, one theme, warnings are errors in `./run check`."""

project = "topicspider"
author = "The topicspider authors"
copyright = "2026, the topicspider authors"  # noqa: A001 - Sphinx wants this name
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "topicspider"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
