"""Follows a log into tables: rows and position change in one transaction, or neither."""
