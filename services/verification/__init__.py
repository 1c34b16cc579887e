"""Decides who is Verified: whoever is paid for and was checked, and whoever staff know."""
