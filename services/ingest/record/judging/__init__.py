"""What is accepted, repeated or refused, and why. Pure."""
