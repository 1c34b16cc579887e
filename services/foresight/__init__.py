"""What would happen: formulas and changes to the past, tried on all that is on record."""
