"""The site: pages for the people who play and keep score. They read what the interface reads."""
