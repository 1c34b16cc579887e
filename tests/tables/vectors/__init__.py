"""Cases of lists of a table, for the Python that serves and the JavaScript of phones alike.

They are in tests/vectors/tables.json, whose names have underscores and say nothing about Python.
"""
