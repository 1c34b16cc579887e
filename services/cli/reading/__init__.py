"""The commands that show what everybody may see."""
