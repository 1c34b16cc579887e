"""Joins what accounts know of people who log in with what ingest has on record about players."""
