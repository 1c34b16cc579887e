"""The review desk: applications to become a source, and the decision on each."""
