"""Proves what is published: replay, verify and audit."""
