"""Kills, cuts and pauses every part at random instants, and then counts what is left."""
