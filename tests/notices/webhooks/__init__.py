"""Events that are sent to servers of sources."""
