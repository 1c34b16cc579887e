"""The two logs as auditors read them."""
