"""The front page, leaderboards, sources, and the sitemap."""
