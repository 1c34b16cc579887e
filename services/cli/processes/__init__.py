"""The commands that run a process until it is told to stop."""
