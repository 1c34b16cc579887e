"""Corrections, merges and formulas: stories with numbers worked out by hand, and laws."""
