"""The view of sessions: what happened to each submission."""
