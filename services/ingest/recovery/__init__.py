"""Restores what is on record from the facts in a copy of the log."""
