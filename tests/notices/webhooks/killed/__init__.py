"""Those who send events are killed at random: every event arrives all the same."""
