"""Becoming a source: applied for, reviewed, decided."""
