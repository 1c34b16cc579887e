"""What the operator does about players."""
