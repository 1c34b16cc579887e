"""Measures the speed of Mahjic, always as a ratio against a limit in the same run."""
