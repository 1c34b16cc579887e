"""The view of leaderboards: global, by region and by source."""
