"""The view of profiles: where each player stands now."""
