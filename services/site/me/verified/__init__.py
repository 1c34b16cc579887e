"""The page on which people become Verified, and what they press there."""
