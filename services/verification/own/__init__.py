"""What somebody reads about being Verified on pages of their own."""
