"""Archived webs: files that hold what each URL answers."""
