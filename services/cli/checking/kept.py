"""Keeps what a check saw, in the user's folder, so that the next one can tell what changed."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.errors import MahjicError
from shared.machine.durable import FOR_US, write_whole
from shared.machine.own_files import open_own, open_own_descriptor

FORMAT: Final = "mahjic-check/1"
SEEN_FILE: Final = "seen.json"
LOCK_FILE: Final = "lock"
NAME_CHARACTERS: Final = 24


class UnreadableMemory(MahjicError):
    """What an earlier check has kept cannot be used."""

    code = "unreadable_memory"
    title = "What the last check saw cannot be read"
    exit_code = 2


class CheckRunning(MahjicError):
    """Another check of the same service is at work."""

    code = "check_running"
    title = "Another check of this service is running"
    exit_code = 75


class KeptHead(BaseModel):
    """The head of a public log that was checked, and the key that signed it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int = Field(ge=1)
    key: str
    size: int = Field(ge=0)
    root: str = Field(pattern="^[0-9a-f]{64}$")


class SeenHeads(BaseModel):
    """What the last check of a service saw."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str = Field(default=FORMAT, pattern=f"^{FORMAT}$")
    url: str
    facts: KeptHead
    verdicts: KeptHead


@dataclass(frozen=True, slots=True)
class Memory:
    """The folder in which is kept what was seen of one service."""

    folder: Path

    @classmethod
    def of(cls, url: str, root: Path | None) -> "Memory":
        """Return that of a service; by default it is below the user's own data folder."""
        where = platformdirs.user_data_path("mahjic") / "checks" if root is None else root
        return cls(where / hashlib.sha256(url.encode()).hexdigest()[:NAME_CHARACTERS])

    def seen(self) -> SeenHeads | None:
        """Return what the last check saw; None before the first. Raises UnreadableMemory."""
        path = self.folder / SEEN_FILE
        try:
            with open_own(path, "rb") as file:
                return SeenHeads.model_validate_json(file.read())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            raise UnreadableMemory(
                f"{path} holds what the last check saw, and cannot be read "
                f"({type(error).__name__}). If nobody has changed it on purpose, delete it; "
                "then the next check starts without it."
            ) from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder: two checks at once would mix up what they keep.

        Raises CheckRunning and UnreadableMemory.
        """
        path = self.folder / LOCK_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = open_own_descriptor(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise unwritable(path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CheckRunning(
                f"Another check of this service is running, and keeps what it sees in "
                f"{self.folder}. Wait for it, or give another folder with --memory."
            ) from None
        else:
            yield
        finally:
            os.close(descriptor)

    def keep(self, seen: SeenHeads) -> None:
        """Keep what was seen, whole or not at all. Raises UnreadableMemory."""
        path = self.folder / SEEN_FILE
        try:
            write_whole(path, seen.model_dump_json(indent=2).encode(), mode=FOR_US)
        except OSError as error:
            raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> UnreadableMemory:
    """Return what to raise when something cannot be kept."""
    return UnreadableMemory(
        f"{path} cannot be written ({type(error).__name__}), so the next check cannot tell whether "
        "the log has only grown."
    )
