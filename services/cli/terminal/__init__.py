"""What all commands share: options, the terminal, and the way to a service."""
