"""Verified players at the staff desk."""
