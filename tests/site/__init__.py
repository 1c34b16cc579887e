"""The public site."""
