"""The pages about players: one player, why a rating changed, two players, and how to find them."""
