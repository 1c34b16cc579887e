"""The events of the two logs: facts, verdicts, and their bytes."""
