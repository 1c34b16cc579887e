"""The pages of words: what Mahjic is, what it keeps, how it rates, and how programs talk to it."""
