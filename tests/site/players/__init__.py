"""The pages about players, as people read them."""
