"""For scrapyd-deploy, which runs setup.py: names the packages; everything else is declared in pyproject.toml.

The data folder topics/ becomes the package topicspider.topics, which automatic discovery cannot see.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["topicspider", "topicspider.*"]), "topicspider.topics", "topicspider.topics.clc"]
)
