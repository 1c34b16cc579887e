"""Backups of a database: made, sealed, and brought back."""
