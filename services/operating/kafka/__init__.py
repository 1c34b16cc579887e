"""Moves the logs to Kafka, and brings facts back from there."""
