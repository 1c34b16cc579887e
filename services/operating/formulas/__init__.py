"""Formulas tried on the whole history."""
