"""The report of a year: its figures, what it does not tell, its bytes, and its page."""
