"""Proves to whoever asks that what they are shown is on the public log."""
