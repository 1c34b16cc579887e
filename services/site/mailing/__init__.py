"""Pages that links in mails lead to, for people who are not logged in."""
