"""The rating: how a round moves players, with named formulas that explain themselves."""
