"""The methods of the client that awaits."""
