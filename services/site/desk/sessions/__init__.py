"""The sessions that a source has sent, at its own desk: found, looked at, and changed."""
