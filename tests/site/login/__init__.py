"""The pages to log in and out, asked as browsers ask."""
