"""Fact to verdict: the only place where verdicts are written."""
