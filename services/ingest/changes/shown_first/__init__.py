"""What is shown before the past is changed, and whether it still holds when it is."""
