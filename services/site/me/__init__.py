"""The pages of people about themselves, for whoever is logged in."""
