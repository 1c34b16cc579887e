"""Writes mails as files, which any mail program opens, where there is no SMTP server."""

import asyncio
import os
import re
from pathlib import Path
from typing import Final

from services.mail.message import UnwritableMail, message_bytes
from services.mail.posts import NAME_NOT_ALLOWED, MailHold, MailRefused, PostAway
from shared.machine.own_files import open_own
from shared.mail.taking import MailQueue, TakenMail

SUFFIX: Final = ".eml"
_OURS: Final = re.compile(r"\.?[0-9-]+-[a-z_]+-(mail_[0-9A-Z]+)\.eml(?:\.unfinished)?")


class FolderPost:
    """A folder that only our account enters. What the outbox forgets, it forgets too."""

    def __init__(self, folder: Path, sender: str) -> None:
        self._folder = folder
        self._sender = sender

    async def send(self, hold: MailHold) -> None:
        """Write a mail, whole or not at all. Raises MailRefused, PostAway or LeaseOver."""
        mail = hold.mail
        hold.check()
        try:
            data = message_bytes(mail, message_id=mail.message_id, sender=self._sender)
            await asyncio.to_thread(self._write, _name(mail), data)
        except UnwritableMail:
            raise MailRefused(NAME_NOT_ALLOWED) from None
        except OSError as error:
            raise PostAway(f"{type(error).__name__} in the folder of mails") from error

    async def close(self) -> None:
        """Nothing is kept open."""

    async def forget(self, queue: MailQueue) -> int:
        """Delete the files of mails that the outbox no longer knows; return how many."""
        files = await asyncio.to_thread(self._files)
        kept = await queue.kept_of([mail_id for mail_id, _ in files]) if files else set()
        gone = [file for mail_id, file in files if mail_id not in kept]
        await asyncio.to_thread(_delete, gone)
        return len(gone)

    def _write(self, name: str, data: bytes) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        unfinished = self._folder / f".{name}.unfinished"
        with open_own(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self._folder / name)

    def _files(self) -> list[tuple[str, Path]]:
        """Return the files that we wrote, each with the id of its mail."""
        if not self._folder.is_dir():
            return []
        found = ((_OURS.fullmatch(file.name), file) for file in self._folder.iterdir())
        return [(match[1], file) for match, file in found if match is not None]


def _name(mail: TakenMail) -> str:
    return f"{mail.queued_at:%Y-%m-%d-%H%M%S}-{mail.kind}-{mail.mail_id}{SUFFIX}"


def _delete(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
