"""Becoming a source: what applicants say, what rules and an agent find, and what staff decide.

It knows no HTTP and no pages. Whose application it is, is decided by its address: it belongs to
whoever's account has proved that.
"""
