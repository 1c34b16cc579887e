"""The commands that bring sessions in, change them and look them up again."""
