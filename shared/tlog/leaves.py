"""Makes the leaves of the public log from the records of a log. Pure.

A leaf commits to a record without telling anything of it. Ids are short and many are public, so
whoever had the bare hash of a record, or a chain over it, could try one guess after another until
it fits. So a salt goes into each leaf, and the chain values of a record into a hash of their own,
behind another salt: a record can be shown with its salt, and its chain values stay hidden.
"""

import hashlib
import hmac
import re
from typing import Final, Literal, TypeAlias

from shared.tlog.hashes import HASH_BYTES

LogName: TypeAlias = Literal["facts", "verdicts"]
# What a salt hides: a record without its chain values, or those.
Salted: TypeAlias = Literal["record", "chain"]

LOG_NAMES: Final[tuple[LogName, ...]] = ("facts", "verdicts")
# A verdict names the chain of the fact that it answers.
_CHAIN: Final = re.compile(rb'"fact_chain":"([0-9a-f]{64})"')
_BLANKED: Final = b'"fact_chain":""'


def salt(key: bytes, log_id: str, log_name: LogName, seq: int, what: Salted) -> bytes:
    """Return what hides a part of a record; who doesn't have the key can't guess it."""
    named = f"{log_id}\n{log_name}\n{seq}\n{what}".encode()
    return hmac.digest(key, named, "sha256")


def split_chains(body: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """Return a record with its chain values blanked, and these, in order, as bytes."""
    chains = tuple(bytes.fromhex(each.decode()) for each in _CHAIN.findall(body))
    return (_CHAIN.sub(_BLANKED, body), chains) if chains else (body, chains)


def chains_hash(chain_salt: bytes, record_chain: bytes, *chains_inside: bytes) -> bytes:
    """Return what stands for the chain values of a record: its own, and those inside."""
    chains = (record_chain, *chains_inside)
    assert all(len(each) == HASH_BYTES for each in chains)
    return hashlib.sha256(chain_salt + b"".join(chains)).digest()


def entry(record_salt: bytes, blanked: bytes, hash_of_chains: bytes) -> bytes:
    """Return what a leaf of the tree holds."""
    return hashlib.sha256(record_salt + blanked + hash_of_chains).digest()


def entry_of(
    key: bytes, log_id: str, log_name: LogName, seq: int, *, chain: bytes, body: bytes
) -> bytes:
    """Return what the leaf of a record holds, for whoever has the key and the whole record."""
    blanked, inside = split_chains(body)
    hidden = chains_hash(salt(key, log_id, log_name, seq, "chain"), chain, *inside)
    return entry(salt(key, log_id, log_name, seq, "record"), blanked, hidden)
