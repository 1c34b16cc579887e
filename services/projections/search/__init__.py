"""Search: public players by chosen name or by the beginning of their id."""
