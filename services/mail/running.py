"""Runs everything of mail that a process does, in the way that its settings name."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import NoReturn, assert_never

import structlog
from prometheus_client import CollectorRegistry

from services.mail.folder import FolderPost
from services.mail.keeping import MailFigures, keep_outbox
from services.mail.posts import MailPost
from services.mail.smtp import SmtpPost
from services.mail.ways import (
    DEFAULT_SENDER,
    ByFiles,
    ByHand,
    BySmtp,
    MailWay,
    ToVisitors,
    domain_of,
)
from services.mail.worker import MailWorker
from shared.db.bell import Bell
from shared.mail.taking import MailQueue

_log = structlog.get_logger(__name__)


async def run_mail(
    open_queue: Callable[[str], MailQueue],
    way: MailWay,
    *,
    mail_from: str | None,
    bell: Bell,
    registry: CollectorRegistry,
    now: Callable[[], datetime],
) -> NoReturn:
    """Send mails and keep the outbox tidy, forever; `open_queue` is given our domain."""
    sender = mail_from or DEFAULT_SENDER
    queue = open_queue(domain_of(sender))
    open_post = _post_opener(way, sender)
    figures = MailFigures(registry, is_sent=open_post is not None)
    _tell(way)
    files = FolderPost(way.folder, sender) if isinstance(way, ByFiles) else None
    forget = None if files is None else files.forget
    keeping = keep_outbox(queue, bell, figures, now=now, forget_files=forget)
    if open_post is None:
        await keeping
    else:
        worker = MailWorker(queue, open_post, bell, now, time.monotonic, figures.tally)
        await asyncio.gather(worker.run(), keeping)
    raise AssertionError("A part never ends by itself.")


def _post_opener(way: MailWay, sender: str) -> Callable[[], MailPost] | None:
    match way:
        case BySmtp(server):
            return partial(SmtpPost, server, sender)
        case ByFiles(folder):
            return partial(FolderPost, folder, sender)
        case ByHand() | ToVisitors():
            return None
        case _:
            assert_never(way)


def _tell(way: MailWay) -> None:
    """Say where mail goes; never what one says, or to whom."""
    match way:
        case BySmtp(server):
            _log.info("mail_is_sent", host=server.host, port=server.port, safety=server.safety)
        case ByFiles(folder):
            _log.warning(
                "mail_is_written_to_files",
                folder=str(folder),
                detail="There is no MAHJIC_SMTP_URL, so nobody gets mail. Each mail is a file.",
            )
        case ByHand():
            _log.warning(
                "mail_waits_for_you",
                detail="There is no MAHJIC_SMTP_URL, so nobody gets mail. `mahjic mail list` and "
                "`mahjic mail show ID` show what to hand on.",
            )
        case ToVisitors():
            _log.info("mail_is_shown_to_visitors", detail="This is a sandbox: no mail is sent.")
        case _:
            assert_never(way)
