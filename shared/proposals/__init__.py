"""Proposals to change the formula, as they stand in docs/proposals."""
