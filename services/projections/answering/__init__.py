"""What all reads have in common: who is shown, which page, and as of which moment."""
