"""A player's rating chart, with the record beside it."""
