"""What a process does that keeps the public logs: it takes in, signs, and has others cosign."""
