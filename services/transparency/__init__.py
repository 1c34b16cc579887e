"""The public log: signed trees of both logs, proofs of what is in them, and their witnesses."""
