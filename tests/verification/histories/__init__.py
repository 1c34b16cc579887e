"""Random histories of people who pay and are checked, against a plain telling of the rules."""
