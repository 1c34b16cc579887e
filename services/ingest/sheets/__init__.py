"""Score sheets as claims and as answers, opened in processes of their own."""
