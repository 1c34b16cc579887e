"""A worker and an SMTP server that are killed at random: every mail arrives all the same."""
