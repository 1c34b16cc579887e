"""Score sheets as claims and as answers, opened in separate processes."""
