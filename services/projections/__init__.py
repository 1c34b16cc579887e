"""From verdicts to views, and from views to what anybody may read."""
