"""The view of sources: what each verified source has brought in."""
