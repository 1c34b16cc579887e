"""What processes check before they serve, and when they are asked whether they are ready."""

from typing import Final

from services.logs import check_copy, check_place, check_topics_safe
from services.wiring import Service

# What /readyz says about the database of a process that only reads.
ASK_STANDBY: Final = "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' END"


async def on_place(s: Service) -> None:
    """Fail unless the logs are where the database says."""
    await check_place(s.process.pool, s.logs)


async def on_safe_topics(s: Service) -> None:
    """Fail unless Kafka keeps the topics as they must be kept."""
    await check_topics_safe(s.logs)


async def on_copy(s: Service) -> None:
    """Fail unless the topic of facts is a copy of the table."""
    await check_copy(s.logs)


async def on_public_logs(s: Service) -> None:
    """Fail if there is a folder for public logs that is not theirs, or not whole."""
    await on_names_of_public_logs(s)
    if (folder := s.process.public_logs.folder) is not None:
        folder.check_secrets()


async def on_names_of_public_logs(s: Service) -> None:
    """Fail if there is a folder for public logs that are those of another site."""
    if (folder := s.process.public_logs.folder) is not None:
        folder.check_names(s.process.settings.public_url)


async def find_end_of_verdicts(s: Service) -> None:
    """Find the end, so that submissions from now on miss none."""
    await s.recording.verdicts.find_end()


async def database(s: Service) -> object:
    """Fail unless the database answers."""
    return await s.process.pool.fetchval("SELECT 1")


async def database_or_standby(s: Service) -> object:
    """Fail unless the database answers, and say if it can only be read."""
    return await s.process.pool.fetchval(ASK_STANDBY)


async def facts(s: Service) -> object:
    """Fail unless the log of facts answers."""
    return await s.logs.facts.tail()


async def verdicts(s: Service) -> object:
    """Fail unless the log of verdicts answers."""
    return await s.logs.verdicts.tail()
