"""Verified players at the staff desk: who decides, and what the money does."""
