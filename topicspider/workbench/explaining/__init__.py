"""Explaining: a score taken apart, for people and for programs."""
