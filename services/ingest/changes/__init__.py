"""Changes to the past: voids, corrections, merges and formulas."""
