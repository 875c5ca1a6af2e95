"""Webs at rest: what a URL answers, byte by byte."""
