"""Connections, and HTTP as it comes over them."""
