"""Reads the application's own OpenAPI document, and tells it to people."""
