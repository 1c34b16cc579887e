"""Public logs: trees, tiles, proofs and notes."""
