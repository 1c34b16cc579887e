"""Somebody doubts a rating, and follows it to the public log."""
