"""Entering a night: what is typed, what is missing in it, and what it would do."""
