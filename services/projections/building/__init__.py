"""Builds views, holds them against their log, and swaps them."""
