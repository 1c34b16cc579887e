"""Looks up what is on record that a request touches."""
