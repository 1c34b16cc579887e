"""A view as small as one can be, for tests of what feeds it."""

from dataclasses import dataclass, field

from shared.feed import Batch, Connection

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
    batches: list[Batch] = field(default_factory=list)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
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
