"""What every read has in common: who is shown, which page, of which moment."""
