"""What people look at most: the board, as the interface and the site show it."""
