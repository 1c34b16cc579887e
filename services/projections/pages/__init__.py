"""Gives the pages of the site what they read, as the answers that everyone gets."""
