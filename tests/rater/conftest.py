"""Gives the tests of this folder the logs of every adapter."""

from tests.log.adapters import kafka_logs, logs, memory_logs, postgres_logs

__all__ = ["kafka_logs", "logs", "memory_logs", "postgres_logs"]
