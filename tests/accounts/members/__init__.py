"""Members of sources: invited, changed, removed."""
