"""Gives the tests of this folder the logs of every adapter."""

from tests.log.adapters import logs, memory_logs, postgres_logs

__all__ = ["logs", "memory_logs", "postgres_logs"]
