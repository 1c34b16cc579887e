"""What the desks of sources do behind their pages: drafts of nights, and sending them."""
