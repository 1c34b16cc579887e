"""The commands about who is Verified, and why."""
