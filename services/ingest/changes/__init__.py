"""Changes of the past: voids, corrections, merges and formulas."""
