"""Three made-up years on a PostgreSQL log, rated once for all tests that look at them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from shared.access.sources import SourceDetails, add_source
from shared.db.server.embedded import EmbeddedServer
from shared.events.codec import fact_answered
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.log.adapters import Logs, new_postgres_logs
from tests.rater.running import all_bodies
from tests.replay_by_hand.history import Facts
from tests.report.made_up import (
    NEVER_SENT,
    REGIONS,
    SOURCES,
    YEAR,
    Dated,
    bodies_of,
    let_rate,
    made_up_years,
)

REFUSED = b'"type":"fact-refused.v1"'


@dataclass(frozen=True, slots=True)
class MadeUpYears:
    """Dated facts, and the logs that hold them; nobody changes them."""

    database: Database
    logs: Logs
    dated: list[Dated]
    verdicts: list[bytes]
    refused: set[int]

    @property
    def first(self) -> int:
        """The first fact of the year."""
        return next(seq for seq, (when, _) in enumerate(self.dated, 1) if when.year == YEAR)

    @property
    def facts(self) -> Facts:
        """All facts up to the end of the year, but those that were refused."""
        return self.until(12)

    def until(self, month: int) -> Facts:
        """Return all facts up to the end of a month of the year; 0 is the year before."""
        return [
            (seq, each)
            for seq, (when, each) in enumerate(self.dated, 1)
            if (when.year, when.month) <= (YEAR, month) and seq not in self.refused
        ]


@pytest.fixture(scope="session")
async def years(postgres_server: EmbeddedServer) -> AsyncIterator[MadeUpYears]:
    """Return three made-up years; the one in the middle is the one to report of."""
    dated = made_up_years()
    bodies = bodies_of(dated)
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        for source in SOURCES:
            details = SourceDetails(source.title(), "club", REGIONS.get(source))
            await add_source(database.pool, source, details, now=dated[0][0])
        async with new_postgres_logs(database.pool) as logs:
            await let_rate(logs, bodies, len(bodies))
            verdicts = await all_bodies(logs.verdicts)
            refused = {fact_answered(body) for body in verdicts if REFUSED in body}
            assert [dated[seq - 1][1] for seq in refused] == [NEVER_SENT]
            yield MadeUpYears(database, logs, dated, verdicts, refused)
