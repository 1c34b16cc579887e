"""The page on which people become Verified."""
