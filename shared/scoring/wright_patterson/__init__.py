"""The Wright-Patterson rules."""
