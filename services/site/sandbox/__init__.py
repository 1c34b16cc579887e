"""What the site has in a sandbox alone: the page of its visitors, and who each visitor is."""
