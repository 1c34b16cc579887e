"""Tells sources what became of their sessions and players."""
