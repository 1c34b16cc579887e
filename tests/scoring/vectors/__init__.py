"""Cases for every implementation of the rule books: `python -m tests.scoring.vectors` makes them.

They are in tests/vectors/scoring.json, whose names have underscores and say nothing about Python.
"""
