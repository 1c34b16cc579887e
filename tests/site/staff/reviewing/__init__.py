"""The review desk: what is seen of an application, and what becomes of it."""
