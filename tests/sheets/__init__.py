"""Score sheets, read and written."""
