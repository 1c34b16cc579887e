"""Builds views, checks them against their log, and swaps them."""
