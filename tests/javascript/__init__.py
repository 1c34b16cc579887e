"""Checks the JavaScript of the site and of clients/js with tools that npm fetches once."""
