"""The logs as topics of Kafka."""
