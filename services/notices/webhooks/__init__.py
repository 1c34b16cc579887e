"""Sends sources what they are told, to addresses that they name."""
