"""What every page is made of: its frame, its files, its words, and pages for errors."""
