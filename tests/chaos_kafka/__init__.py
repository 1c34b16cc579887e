"""Breaks every process of Mahjic on Kafka, and Kafka too, and then counts what is left."""
