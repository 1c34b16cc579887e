"""What several views keep in the same way."""
