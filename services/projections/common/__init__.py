"""What several views keep alike."""
