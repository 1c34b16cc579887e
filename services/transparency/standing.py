"""Tells how the public logs stand, from their folder alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from services.transparency.folder import Standstill, TransparencyFolder
from services.transparency.origin_folder import CHECKPOINT_FILE, OriginFolder
from services.transparency.origins import LogOrigin
from services.transparency.witnesses import Witness
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.notes import NoteRefused, VerifierKey, open_note


@dataclass(frozen=True, slots=True)
class PublicLogStanding:
    """How one public log stands; without a checkpoint, nothing was ever signed."""

    key: VerifierKey
    size: int | None
    published: datetime | None
    cosigned_by: Sequence[str]
    has_ended: bool


@dataclass(frozen=True, slots=True)
class PublicLogsStanding:
    """How all public logs stand, whether a process keeps them, and why it signs nothing."""

    logs: Sequence[PublicLogStanding]
    is_kept: bool
    stopped: Standstill | None


def read_public_standing(
    folder: TransparencyFolder, witnesses: Sequence[Witness]
) -> PublicLogsStanding:
    """Read how the public logs stand. Raises PublicLogMisplaced."""
    logs = [standing_of(folder.log_of(key), key, witnesses) for key in folder.verifier_keys()]
    return PublicLogsStanding(logs, folder.is_held(), folder.stopped())


def read_signed(
    folder: TransparencyFolder, witnesses: Sequence[Witness]
) -> Sequence[PublicLogStanding]:
    """Read how the logs stand that go on and were signed. Raises PublicLogMisplaced."""
    logs = [standing_of(folder.log_of(key), key, witnesses) for key in folder.verifier_keys()]
    return [each for each in logs if each.size is not None and not each.has_ended]


def read_ended(folder: TransparencyFolder) -> Sequence[LogOrigin]:
    """Read which logs have ended, the oldest first. Raises PublicLogMisplaced."""
    logs = [folder.log_of(key) for key in folder.verifier_keys()]
    return [each.origin for each in logs if each.ended() is not None]


def standing_of(
    log: OriginFolder, key: VerifierKey, witnesses: Sequence[Witness]
) -> PublicLogStanding:
    """Read how one public log stands."""
    note, has_ended = log.checkpoint(), log.ended() is not None
    if note is None:
        return PublicLogStanding(key, None, None, (), has_ended)
    try:
        text, signed = open_note(note, [key, *(each.key for each in witnesses)])
        size = read_checkpoint(text).size
    except NoteRefused:
        return PublicLogStanding(key, None, None, (), has_ended)
    written_s = (log.path / CHECKPOINT_FILE).stat().st_mtime
    cosigned = [each.key.name for each in signed if each.key != key]
    return PublicLogStanding(key, size, datetime.fromtimestamp(written_s, UTC), cosigned, has_ended)
