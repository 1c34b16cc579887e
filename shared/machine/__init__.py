"""What the machine gives to our processes: memory, files of their own, and child processes."""
