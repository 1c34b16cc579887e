"""The report of a year, as a file that somebody opens."""
