"""Uploading a score sheet: what it would submit, every mistake in its cell, mended in the page."""
