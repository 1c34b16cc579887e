"""What the public pages read."""
