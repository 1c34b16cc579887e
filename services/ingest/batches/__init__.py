"""Many sessions in one request, line by line."""
