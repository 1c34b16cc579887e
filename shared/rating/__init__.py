"""The rating: how a round moves people, by named formulas that explain themselves."""
