"""Tests of the pages on which the formula is changed in public."""
