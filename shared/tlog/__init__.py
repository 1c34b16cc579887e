"""Public logs that anybody can check: Merkle trees, tiles, proofs and signed notes. Pure."""
