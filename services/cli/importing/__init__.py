"""The command that sends a file of many sessions, and continues where it left off."""
