"""Score that is kept at a table: entries, their list, and what stands. Pure."""
