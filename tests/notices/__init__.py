"""Sources are told what became of their sessions and players, each of what it may see."""
