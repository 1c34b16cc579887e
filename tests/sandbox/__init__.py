"""Sandboxes, in which people try things out."""
