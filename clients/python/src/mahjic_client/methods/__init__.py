"""The methods of the client that blocks."""
