"""What staff read about Verified players, and what they do about checks."""
