"""What pytest is told about a whole run: in which order, what starts servers, what was skipped."""
