"""What the operator can do with players."""
