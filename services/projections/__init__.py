"""From verdicts to views, and from views to what people may read."""
