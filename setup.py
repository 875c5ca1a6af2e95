"""A stub for scrapyd-deploy, which runs setup.py; everything is declared in pyproject.toml."""

from setuptools import setup

setup()
