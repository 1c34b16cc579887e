"""The command that sends a file of many sessions, and goes on where it was broken off."""
