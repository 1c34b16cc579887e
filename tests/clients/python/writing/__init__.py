"""Writes the types and the methods of the Python client from the OpenAPI document."""
