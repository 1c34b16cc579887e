"""The package for other people's JavaScript."""
