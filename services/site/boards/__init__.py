"""The pages about many players: the front page, leaderboards, sources, and the sitemap of all."""
