"""Reads the rows of a sheet, one kind after the other."""
