"""Looking people up: a source finds its own people, the operator anyone."""
