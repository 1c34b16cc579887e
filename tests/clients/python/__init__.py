"""The package mahjic-client for Python."""
