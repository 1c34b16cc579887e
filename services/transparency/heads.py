"""Reads how far both public logs are signed, and by whom, for a page that says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from services.transparency.origin_folder import CHECKPOINT_FILE
from services.transparency.routes import PublicLogs
from services.transparency.witnesses import read_witnesses
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.leaves import LOG_NAMES, LogName
from shared.tlog.notes import VerifierKey, open_note


@dataclass(frozen=True, slots=True)
class PublicHead:
    """How far a log is signed, when that was written down, and by which witnesses."""

    name: LogName
    key: VerifierKey
    size: int
    signed_at: datetime
    cosigned_by: Sequence[str]


def read_heads(public: PublicLogs) -> Sequence[PublicHead]:
    """Return the heads of the logs that are signed. Raises NoPublicLog."""
    keys = {each.name: each for each in public.there().verifier_keys()}
    found = (_head(public, name, keys) for name in LOG_NAMES)
    return [each for each in found if each is not None]


def _head(public: PublicLogs, name: LogName, keys: dict[str, VerifierKey]) -> PublicHead | None:
    log = public.current(name)
    note = log.checkpoint()
    if note is None:
        return None
    key = keys[log.origin.name]
    text, signed = open_note(note, [key, *(each.key for each in read_witnesses(public.witnesses))])
    written_s = (log.path / CHECKPOINT_FILE).stat().st_mtime
    cosigned = [each.key.name for each in signed if each.key != key]
    signed_at = datetime.fromtimestamp(written_s, UTC).replace(microsecond=0)
    return PublicHead(name, key, read_checkpoint(text).size, signed_at, cosigned)
