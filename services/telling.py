"""Makes the rooms that tell people and sources what happened, from what a process is made of."""

import random
from datetime import UTC, datetime
from functools import partial

from services.accounts.members.notices import MemberNotices
from services.invitations.inviting import is_untrue
from services.invitations.room import InvitationRoom
from services.invitations.summing_up import is_summary_untrue
from services.logs import ServiceLogs
from services.notices.following import NoticeRoom
from services.notices.webhooks.network import CheckedNetwork
from services.notices.webhooks.posting import WebhookPost
from services.notices.webhooks.sending import WebhookRoom
from services.transparency.keeping.running import PublicLogRoom
from services.transparency.witnesses import read_witnesses
from services.wiring import Process
from shared.mail.taking import MailQueue


def invitations_of(process: Process) -> InvitationRoom:
    """Return what everything about invitations and summaries is done with."""
    return InvitationRoom(
        process.pool,
        process.outbox,
        lambda: process.origin.url,
        process.settings.invitations_per_hour,
    )


def notices_of(process: Process) -> NoticeRoom:
    """Return what notices to sources are written with."""
    return NoticeRoom(process.pool, process.outbox.now)


def webhooks_of(process: Process) -> WebhookRoom:
    """Return what events are sent to the addresses of sources with."""
    loopback = process.settings.webhooks_loopback
    outbox = process.outbox
    return WebhookRoom(
        process.pool,
        WebhookPost(CheckedNetwork(loopback=loopback), loopback=loopback),
        MemberNotices(outbox, lambda: process.origin.url).tell_of_webhook_off,
        outbox.now,
        random.random,
    )


def public_log_room(process: Process, logs: ServiceLogs) -> PublicLogRoom | None:
    """Return what the public logs are kept with; None if there are none."""
    folder = process.public_logs.folder
    if folder is None:
        return None
    return PublicLogRoom(
        folder,
        {"facts": logs.recorded, "verdicts": logs.verdicts},
        read_witnesses(process.settings.witnesses),
        now=lambda: datetime.now(UTC),
    )


def mail_queue_of(process: Process, domain: str) -> MailQueue:
    """Return the outbox as those see it who send mail; `domain` is ours."""
    outbox = process.outbox
    room = invitations_of(process)
    checks = {"rated": partial(is_untrue, room), "summary": partial(is_summary_untrue, room)}
    return MailQueue(process.pool, outbox.hashes, domain, is_untrue=checks)
