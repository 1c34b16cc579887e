"""The program that a test kills: what writes invitations and summaries, on a database."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry

from services.invitations import running
from services.invitations.room import InvitationRoom
from services.invitations.shown_nights import NightViews
from services.projections.answering.reading import ViewReader
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.db.pool import open_pool
from shared.log.postgres import PostgresVerdictLog
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MailOutbox
from tests.mail.letters import KEY

# By this clock everything that is played now has been waited for.
AHEAD = timedelta(hours=6)


async def invite(dsn: str) -> None:
    running.LOOK_S = running.GATHER_S = 0.02  # type: ignore[misc]
    pool, bell = await open_pool(dsn, application_name="mahjic inviting", size_max=4), Bell()
    outbox = MailOutbox(AddressHashes(KEY), lambda: datetime.now(UTC) + AHEAD)
    room = InvitationRoom(pool, outbox, lambda: "https://mahjic.example", 100_000)
    nights = NightViews(ViewReader(pool, all_views(), bell))
    log = PostgresVerdictLog(pool, bell)
    print("It invites", flush=True)  # noqa: T201
    await running.run_invitations(room, log, nights, CollectorRegistry())


if __name__ == "__main__":
    asyncio.run(invite(sys.argv[1]))
