"""Begins public logs: for the first time, and again after records were lost for good.

A log that is begun again takes in all records of its log, as they now are. The one before it says,
in a note that is signed, how far it came, why it ended, and what goes on in its place, with which
key. That key has signed the note too, so this is how a key is changed.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from services.transparency.folder import TransparencyFolder
from services.transparency.key_files import (
    NEXT_KEY_FILE,
    SALT_KEY_FILE,
    SIGNING_KEY_FILE,
    SigningKey,
    change_signing_key,
    make_key,
    read_signing_key,
)
from services.transparency.origin_folder import OriginFolder
from services.transparency.origins import LogOrigin, host_of
from services.transparency.refusals import (
    PublicLogGoesOn,
    PublicLogHeld,
    PublicLogMisplaced,
    PublicLogThere,
)
from shared.machine.durable import synchronize
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.hashes import EMPTY_ROOT
from shared.tlog.leaves import LOG_NAMES
from shared.tlog.notes import NoteRefused, VerifierKey, open_note, sign_note

FOLDER_MODE: Final = 0o755
WHY_CHARACTERS_MAX: Final = 500


def init_public_logs(path: Path, public_url: str) -> Sequence[VerifierKey]:
    """Make the folder of both logs and its secrets, and return the keys to check them with.

    Raises PublicLogThere if any of it is there, and OSError.
    """
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    try:
        make_key(path / SIGNING_KEY_FILE)
        make_key(path / SALT_KEY_FILE)
    except FileExistsError as error:
        raise PublicLogThere(
            f"{path} holds a key already, and nothing overwrites one. If it is all that is left "
            "of a folder, put the rest back from its copy; otherwise name another folder."
        ) from error
    synchronize(path)
    origins = [LogOrigin(host_of(public_url), each) for each in LOG_NAMES]
    return _begin(TransparencyFolder(path), read_signing_key(path), origins, before=())


@dataclass(frozen=True, slots=True)
class LogEnding:
    """Why the logs end, when, whether the operator is sure, and whether the key changes too."""

    why: str
    now: datetime
    is_sure: bool = False
    has_new_key: bool = False


def begin_again(folder: TransparencyFolder, ending: LogEnding) -> Sequence[VerifierKey]:
    """End both logs in signed notes that say why, begin the next, and return all keys.

    If this is cut off, doing it again finishes it. Raises PublicLogHeld while a process keeps them,
    PublicLogGoesOn if nothing is wrong and the operator is not sure, PublicLogMisplaced, OSError.
    """
    with folder.held() as is_held:
        if not is_held:
            raise PublicLogHeld(
                f"A process is keeping the public logs in {folder.path}, so nothing is wrong with "
                "them. To end them all the same, stop that process first."
            )
        if folder.stopped() is None and not ending.is_sure:
            raise PublicLogGoesOn(
                "Nothing was found to be wrong with these logs, and an end is for good. If they "
                "should end all the same, say so with --yes."
            )
        keys, logs = folder.verifier_keys(), [folder.current(each) for each in LOG_NAMES]
        signing = _end(folder, logs, ending)
        _begin(folder, signing, [each.origin.next for each in logs], before=keys)
        folder.go_on()
        return folder.verifier_keys()


def _end(folder: TransparencyFolder, logs: Sequence[OriginFolder], ending: LogEnding) -> SigningKey:
    """End logs in notes that the keys of both sides have signed, and return the next key."""
    signing = following = read_signing_key(folder.path)
    next_file = folder.path / NEXT_KEY_FILE
    if ending.has_new_key and not next_file.exists() and not any(each.ended() for each in logs):
        make_key(next_file)
        synchronize(folder.path)  # The notes below name it for good.
    if next_file.exists():
        following = read_signing_key(folder.path, NEXT_KEY_FILE)
    for each in logs:
        if each.ended() is None:
            each.end(_last_words(each, signing, following, ending))
    if next_file.exists():
        change_signing_key(folder.path)
    return following


def _begin(
    folder: TransparencyFolder,
    signing: SigningKey,
    origins: Sequence[LogOrigin],
    *,
    before: Sequence[VerifierKey],
) -> Sequence[VerifierKey]:
    for each in origins:
        (folder.path / each.path).mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    synchronize(folder.path)
    keys = [*before, *(signing.of(each.name).verifier for each in origins)]
    # Last: they are there once their keys are named.
    folder.write_verifier_keys(keys)
    return keys


def _last_words(
    log: OriginFolder, signing: SigningKey, following: SigningKey, ending: LogEnding
) -> str:
    """Return the note that ends a log: its last checkpoint, and lines of what happened."""
    next_signer = following.of(log.origin.next.name)
    lines = (
        f"ended {ending.now.isoformat(timespec='seconds')}",
        f"next {next_signer.verifier}",
        f"why {' '.join(ending.why.split())[:WHY_CHARACTERS_MAX]}",
    )
    text = _last_head(log, signing).text + "".join(f"{line}\n" for line in lines)
    return sign_note(text, [signing.of(log.origin.name), next_signer])


def _last_head(log: OriginFolder, signing: SigningKey) -> TreeHead:
    """Return what everybody saw last of a log; of damaged files, what can still be believed."""
    heads = [TreeHead(log.origin.name, 0, EMPTY_ROOT)]
    with suppress(PublicLogMisplaced):
        if (taken_in := log.taken_in()) is not None:
            heads += _opened(taken_in.note, log, signing)
    published = _opened(log.checkpoint(), log, signing)
    return published[0] if published else heads[-1]


def _opened(note: str | None, log: OriginFolder, signing: SigningKey) -> list[TreeHead]:
    """Return the head in a note, if the log has signed it."""
    with suppress(NoteRefused):
        if note is not None:
            text, _ = open_note(note, [signing.of(log.origin.name).verifier])
            head = read_checkpoint(text)
            return [head] if head.origin == log.origin.name else []
    return []
