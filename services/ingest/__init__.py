"""Claim to fact: the only place where facts are written."""
