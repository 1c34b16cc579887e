"""The commands for a sandbox, in which people try things out."""
