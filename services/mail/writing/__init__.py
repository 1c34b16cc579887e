"""The letters: what each says, once, and how that reads as plain text and as HTML."""
