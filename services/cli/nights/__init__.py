"""The commands that submit sessions, change them and look them up."""
