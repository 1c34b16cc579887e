"""Pages that links in mails lead to."""
