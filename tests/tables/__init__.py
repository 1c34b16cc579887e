"""Tests of the list of a table: entries, what stands, rounds and seats."""
