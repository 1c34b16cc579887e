"""What was played in a source's own sessions between two days, added up by player."""
