"""Begins public logs: for the first time, and again after records were lost for good.

A log that is begun again takes in all records of its log, as they now are. The one before it says,
in a note that is signed, how far it came, why it ended, and what goes on in its place.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from services.transparency.durable import synchronize
from services.transparency.folder import TransparencyFolder
from services.transparency.key_files import (
    SALT_KEY_FILE,
    SIGNING_KEY_FILE,
    SigningKey,
    make_key,
    read_signing_key,
)
from services.transparency.origin_folder import OriginFolder
from services.transparency.origins import LogOrigin, host_of
from services.transparency.refusals import PublicLogGoesOn, PublicLogHeld, PublicLogThere
from shared.tlog.leaves import LOG_NAMES
from shared.tlog.notes import VerifierKey, sign_note

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


def begin_again(
    folder: TransparencyFolder, why: str, *, now: datetime, is_sure: bool
) -> Sequence[VerifierKey]:
    """End both logs in signed notes that say why, begin the next, and return all keys.

    Raises PublicLogHeld while a process keeps them, PublicLogGoesOn if nothing is wrong and the
    operator `is_sure` of nothing else, PublicLogMisplaced and OSError.
    """
    with folder.held() as is_held:
        if not is_held:
            raise PublicLogHeld(
                f"A process is keeping the public logs in {folder.path}, so nothing is wrong with "
                "them. To end them all the same, stop that process first."
            )
        if folder.stopped() is None and not is_sure:
            raise PublicLogGoesOn(
                "Nothing was found to be wrong with these logs, and an end is for good. If they "
                "should end all the same, say so with --yes."
            )
        signing = read_signing_key(folder.path)
        keys = folder.verifier_keys()
        ending = [folder.current(each) for each in LOG_NAMES]
        for each in ending:
            if each.ended() is None:
                each.end(_last_words(each, signing, why, now))
        _begin(folder, signing, [each.origin.next for each in ending], before=keys)
        folder.go_on()
        return folder.verifier_keys()


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


def _last_words(ending: OriginFolder, signing: SigningKey, why: str, now: datetime) -> str:
    """Return the note that ends a log: its last checkpoint, and lines of what happened."""
    checkpoint = ending.checkpoint() or ""
    text = checkpoint.rpartition("\n\n")[0] or f"{ending.origin.name}\n0"
    lines = (
        text,
        f"ended {now.isoformat(timespec='seconds')}",
        f"next {ending.origin.next.name}",
        f"why {' '.join(why.split())[:WHY_CHARACTERS_MAX]}",
    )
    return sign_note("\n".join(lines) + "\n", [signing.of(ending.origin.name)])
