"""The outbox, letters and who wants no more mail; and the worker on real SMTP servers."""
