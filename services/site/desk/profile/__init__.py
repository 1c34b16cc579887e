"""The pages on which a source says who it is, and takes its board to its own site."""
