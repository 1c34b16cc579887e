"""The view of profiles: each player's current standing."""
