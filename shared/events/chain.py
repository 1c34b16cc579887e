"""Chains the records of a log, so that one hash stands for the whole history up to it."""

import hashlib


def first_chain(log_id: str, log_name: str) -> bytes:
    """Return the chain before the first record of the log `log_name` (`facts` or `verdicts`)."""
    return hashlib.sha256(f"/logs/{log_id}/{log_name}".encode()).digest()


def next_chain(chain: bytes, body: bytes) -> bytes:
    """Return the SHA-256 (32 bytes) of the chain before a record and the record's bytes."""
    return hashlib.sha256(chain + body).digest()
