"""Looking people up: a source its own, the operator anyone."""
