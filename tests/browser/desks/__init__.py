"""Owners look after the desk of their club in a real browser: members, keys and profile."""
