"""Backups of a database: made, sealed and restored."""
