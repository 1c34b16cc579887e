"""The client in Node at a running service."""
