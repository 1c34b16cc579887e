"""Pages for whoever wants to become a source: the form, and where one's application stands."""
