"""What people do with their own account: addresses, passkeys, and joining two accounts."""
