"""Charts of players, against what they are by definition."""
