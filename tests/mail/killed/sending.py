"""The program that a test kills: a worker on a database, and a server on this machine."""

import asyncio
import sys
import time
from functools import partial

from prometheus_client import CollectorRegistry

from services.mail.keeping import MailFigures
from services.mail.smtp import SmtpPost
from services.mail.ways import SmtpServer
from services.mail.worker import MailWorker
from shared.db.bell import Bell, listening
from shared.db.pool import open_pool
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MAIL_CHANNEL
from shared.mail.taking import MailQueue
from tests.mail.killed.hurried import FACTOR, hurried
from tests.mail.letters import KEY


async def send(dsn: str, port: int, began_s: float) -> None:
    pool, bell = await open_pool(dsn, application_name="mahjic mail", size_max=10), Bell()
    server = SmtpServer("127.0.0.1", port, "loopback")
    worker = MailWorker(
        MailQueue(pool, AddressHashes(KEY), "mahjic.example"),
        partial(SmtpPost, server, "Mahjic <ratings@mahjic.example>"),
        bell,
        lambda: hurried(began_s),
        lambda: time.monotonic() * FACTOR,
        MailFigures(CollectorRegistry(), is_sent=True).tally,
    )
    async with listening(pool, bell, (MAIL_CHANNEL,)):
        print("It sends", flush=True)  # noqa: T201
        await worker.run()


if __name__ == "__main__":
    asyncio.run(send(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
