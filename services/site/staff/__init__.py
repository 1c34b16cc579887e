"""The staff desk: the pages on which Mahjic's own people work."""
