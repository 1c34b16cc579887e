"""The pages on which staff change what is on record: players, sessions, formulas."""
