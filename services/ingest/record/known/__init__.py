"""Looks up what is on record, as far as a request touches it."""
