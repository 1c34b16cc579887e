"""Imports years of made-up sessions into a real service, and holds what is there against the books.

It is run by `make soak`; a tiny run of the same code is one of the tests.
"""
