"""What staff and the operator read about Verified players, and what they do about checks."""
