"""The view of histories: every change of every player, and the rounds that made them."""
