"""The rosters of sources."""
