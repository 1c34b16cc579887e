"""The logs: the promises, and the adapters that keep them."""
