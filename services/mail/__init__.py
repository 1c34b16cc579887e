"""Mail: the worker that sends what is in the outbox, the letters, and how people end mail."""
