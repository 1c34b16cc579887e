"""What people write about themselves, and what must hold for it."""
