"""The page on which owners say what everybody reads about their source."""
