"""Templates of the web page, which Jinja2 fills."""
