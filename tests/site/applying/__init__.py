"""The pages on which a club applies, is asked, and is approved."""
