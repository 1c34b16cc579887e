"""From verdicts to views, and from views to what anyone may read."""
