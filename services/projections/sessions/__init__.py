"""The view of sessions: what became of each submission."""
