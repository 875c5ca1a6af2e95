"""The rules of (e) Broder 2003 for what a cache of seen URLs keeps, one a file; see frontier/url_caches.py."""
