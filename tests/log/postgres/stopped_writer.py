"""A rater's process that stops itself in the middle of its second transaction, for tests.

It prints the code of the error that ends it, and exits as a rater does.
"""

import asyncio
import os
import signal
import sys

from shared.db.pool import open_pool
from shared.errors import MahjicError
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.kafka.writer import KafkaVerdictWriter
from tests.log.adapters import LOG_ID
from tests.log.on_kafka import a_cluster


async def write(address: str, prefix: str, dsn: str) -> int:
    """Write one verdict, and stop before the commit of the next ones."""
    pool = await open_pool(dsn, application_name="mahjic rater", size_max=3)
    writer = await KafkaVerdictLog(a_cluster(address, prefix), LOG_ID, pool).open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    stop_before_commit(writer)
    try:
        await writer.append([b"of the stopped one"] * 3, fact_seq=2)
    except MahjicError as error:
        print(error.code)  # noqa: T201 - the test reads it.
        return error.exit_code
    finally:
        await writer.close()
        await pool.close()
    return 0


def stop_before_commit(writer: KafkaVerdictWriter) -> None:
    """Let the process be stopped once all records of a transaction are on the topic."""
    commit = writer._producer.commit_transaction

    async def stop_and_commit() -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        await commit()

    writer._producer.commit_transaction = stop_and_commit


if __name__ == "__main__":
    sys.exit(asyncio.run(write(*sys.argv[1:])))
