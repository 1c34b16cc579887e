"""The page about the public log, which checks a player in the reader's own browser."""
