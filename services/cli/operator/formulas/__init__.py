"""The commands for formulas: list, try, compare and adopt."""
