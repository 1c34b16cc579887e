"""A view as small as one can be, for tests of what feeds it, and a wait for the feed."""

from dataclasses import dataclass, field

from shared.feed.feed import Feed
from shared.feed.views import Connection, VerdictBatch
from tests.log.deadlines import until

SCHEMA = """
CREATE TABLE seen (seq bigint PRIMARY KEY);
CREATE TABLE people (player_id text PRIMARY KEY, times bigint NOT NULL);
"""


@dataclass
class Tally:
    """Notes every record, and refuses to note one twice; counts how often a person changed."""

    name: str = "tally"
    version: int = 1
    schema_sql: str = SCHEMA
    batches: list[VerdictBatch] = field(default_factory=list)

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        self.batches.append(batch)
        await connection.execute(
            f"INSERT INTO {schema}.seen SELECT unnest($1::bigint[])",
            [entry.record.seq for entry in batch.entries],
        )
        await connection.execute(
            f"""INSERT INTO {schema}.people AS p SELECT unnest($1::text[]), 1
            ON CONFLICT (player_id) DO UPDATE SET times = p.times + 1""",
            list(batch.changed_people),
        )

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        return {}


async def until_it_shows(feed: Feed, fact_seq: int) -> None:
    """Wait until all views of a feed that runs show the verdict on a fact."""

    async def is_shown() -> bool:
        return feed.fact_seq >= fact_seq

    await until(is_shown)
