"""The roster of a source: its own list of the people who play there, as it calls them."""
