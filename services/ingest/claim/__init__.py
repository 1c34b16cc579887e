"""What a source claims, read and checked before anything is looked up."""
