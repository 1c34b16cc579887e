"""Puts back on record what facts from a copy of the log tell."""
