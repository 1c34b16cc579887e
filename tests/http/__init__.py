"""Tests of the HTTP building blocks."""
