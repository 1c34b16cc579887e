"""What a source claims. It is read and checked before anything is looked up."""
