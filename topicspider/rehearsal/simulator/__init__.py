"""Simulates crawls of archived webs in virtual time, with the parts of the real crawler."""
