"""Gives the tests of this folder every kind of copy."""

from tests.relay.copies import copy, kafka_copy, memory_copy

__all__ = ["copy", "kafka_copy", "memory_copy"]
