"""Checks the site's JavaScript with the tools of its trade, which npm fetches once."""
