"""The commands that show what everyone may see."""
