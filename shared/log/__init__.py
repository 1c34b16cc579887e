"""The logs: their promises, and the adapters that keep them."""
