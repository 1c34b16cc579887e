"""The public site: pages for people who play and keep score."""
