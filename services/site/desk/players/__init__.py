"""The players of a source at its desk: its list of people, season standings, and its own board."""
