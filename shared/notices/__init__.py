"""What sources are told of their sessions and players: numbered, and kept for a month."""
