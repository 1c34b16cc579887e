"""Examples in both languages, each run as its reader would run it."""
