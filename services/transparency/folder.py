"""The folder of the public logs: which there are, who keeps them, and why they stand still.

It holds both secrets, the file `keys` with the verifier key of each log in the order in which they
were begun, and a folder for each.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from services.transparency.key_files import read_salt_key, read_signing_key
from services.transparency.origin_folder import OriginFolder
from services.transparency.origins import LogOrigin, host_of, read_origin
from services.transparency.refusals import NoPublicLog, PublicLogMisplaced
from shared.machine.durable import FOR_US, read_if_there, synchronize, write_whole
from shared.machine.own_files import open_own_descriptor
from shared.tlog.leaves import LogName
from shared.tlog.notes import NoteRefused, VerifierKey, read_verifier_key

KEYS_FILE: Final = "keys"
LOCK_FILE: Final = "lock"
STOPPED_FILE: Final = "stopped"


@dataclass(frozen=True, slots=True)
class Standstill:
    """Why nothing is signed anymore, and since when (RFC 3339)."""

    code: str
    detail: str
    since: str


@dataclass(frozen=True, slots=True)
class TransparencyFolder:
    """The folder that MAHJIC_TRANSPARENCY names."""

    path: Path

    def is_made(self) -> bool:
        """Return whether `mahjic transparency init` has made it."""
        return (self.path / KEYS_FILE).exists()

    def check_names(self, public_url: str | None) -> None:
        """Check that these are the logs of a site. Raises PublicLogMisplaced."""
        keys = self.verifier_keys()
        host = None if public_url is None else host_of(public_url)
        if any(self.log_of(each).origin.host != host for each in keys):
            raise PublicLogMisplaced(
                f"The public logs in {self.path} are those of {keys[0].name.split('/')[0]}, but "
                f"MAHJIC_PUBLIC_URL says {host or 'nothing'}. The name of a log stays for good."
            )

    def check_secrets(self) -> None:
        """Check that both secrets are there, and those of the logs. Raises PublicLogMisplaced."""
        signing = read_signing_key(self.path)
        read_salt_key(self.path)
        for each in self.verifier_keys():
            if self.log_of(each).ended() is None and signing.of(each.name).verifier != each:
                raise PublicLogMisplaced(
                    f"The signing key in {self.path} is not the one of {each.name}. Put it back "
                    "from its copy."
                )

    def verifier_keys(self) -> Sequence[VerifierKey]:
        """Return the keys of all logs, in the order in which they were begun.

        Raises PublicLogMisplaced.
        """
        content = self.begun()
        if content is None:
            raise PublicLogMisplaced(
                f"{self.path} holds no public logs. Run `mahjic transparency init` first, or put "
                "the folder back from its copy."
            )
        try:
            keys = [read_verifier_key(line) for line in content.decode("ascii").splitlines()]
        except (NoteRefused, UnicodeDecodeError) as error:
            raise self._damaged() from error
        if not keys or any(read_origin(each.name) is None for each in keys):
            raise self._damaged()
        return keys

    def begun(self) -> bytes | None:
        """Return what the file `keys` holds, which changes when logs are begun."""
        return read_if_there(self.path / KEYS_FILE)

    def write_verifier_keys(self, keys: Sequence[VerifierKey]) -> None:
        """Say which logs there are, durably. Raises OSError."""
        write_whole(self.path / KEYS_FILE, "".join(f"{each}\n" for each in keys).encode())

    def log_of(self, key: VerifierKey) -> OriginFolder:
        """Return the log of a key that is in `keys`."""
        origin = read_origin(key.name)
        assert origin is not None, "The keys are checked when they are read."
        return self._at(origin)

    def find(self, log_name: LogName, number: int) -> OriginFolder:
        """Return a log by its number. Raises NoPublicLog."""
        for key in self.verifier_keys():
            found = self.log_of(key)
            if (found.origin.log_name, found.origin.number) == (log_name, number):
                return found
        raise NoPublicLog("There is no such public log.")

    def current(self, log_name: LogName) -> OriginFolder:
        """Return the log that was begun last. Raises NoPublicLog."""
        logs = [self.log_of(key) for key in self.verifier_keys()]
        named = [each for each in logs if each.origin.log_name == log_name]
        if not named:
            raise NoPublicLog
        return max(named, key=lambda each: each.origin.number)

    def stopped(self) -> Standstill | None:
        """Return why nothing is signed anymore; None while all is well."""
        content = read_if_there(self.path / STOPPED_FILE)
        if content is None:
            return None
        try:
            return Standstill(**orjson.loads(content))
        except (ValueError, TypeError):
            return Standstill("unknown", "The file that says why is damaged.", "unknown")

    def stop(self, stopped: Standstill) -> None:
        """Write down why nothing is signed anymore. Raises OSError."""
        write_whole(self.path / STOPPED_FILE, orjson.dumps(stopped), mode=FOR_US)

    def go_on(self) -> None:
        """Forget why nothing was signed. Raises OSError."""
        (self.path / STOPPED_FILE).unlink(missing_ok=True)
        synchronize(self.path)

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the folder, as one process at a time does; False if another one has it."""
        descriptor = open_own_descriptor(self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def is_held(self) -> bool:
        """Return whether a process has the folder. Leaves nothing behind, unlike holding it."""
        try:
            descriptor = open_own_descriptor(self.path / LOCK_FILE, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _at(self, origin: LogOrigin) -> OriginFolder:
        return OriginFolder(self.path / origin.path, origin)

    def _damaged(self) -> PublicLogMisplaced:
        return PublicLogMisplaced(
            f"{self.path / KEYS_FILE} is damaged. Put it back from a copy, or from what "
            "/log/keys said."
        )
