"""The report of a year: what the logs say of it, and what was counted beside them at its end."""
