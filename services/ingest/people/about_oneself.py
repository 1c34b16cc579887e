"""What is on record about someone, for the person alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from services.ingest.players.grouped import find_person
from shared.access.sources import Region
from shared.log.postgres import Connection

READ: Final = """
SELECT people.player_id, people.name, people.region, people.is_private, people.privacy_by,
    people.offered_name, sources.region AS source_region
FROM mahjic.people
JOIN mahjic.players USING (player_id)
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = players.first_source
WHERE people.player_id = ANY($1)
"""
READ_KNOWN: Final = """
SELECT known.source, sources.name AS source_name, known.name
FROM mahjic.acquaintances AS known
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = known.source
WHERE known.player_id = ANY($1)
ORDER BY known.source, known.player_id
"""


@dataclass(frozen=True, slots=True)
class OfferedName:
    """A name that a source sent, as it sent it. Which source it was is not known of old ones."""

    name: str
    source: str | None = None
    source_name: str | None = None


@dataclass(frozen=True, slots=True)
class OwnDetails:
    """What is on record about someone, over all of their ids.

    `player_id` is the id that stands for the person, `merged` those that are read as it. Without a
    `region` of their own people are in that of the source that had them first. `is_private` is
    what the public is shown: one private id hides them all. `sources` are slugs and names of those
    that named the person in a session.
    """

    player_id: str
    merged: Sequence[str]
    name: str | None
    region: Region | None
    region_of_source: Region | None
    is_private: bool
    privacy_by: Literal["source", "player", "operator"]
    is_verified: bool
    offered_names: Sequence[OfferedName]
    sources: Sequence[tuple[str, str]]


async def read_own(connection: Connection, player_id: str) -> OwnDetails:
    """Return what is on record about a person with an address. Raises UnknownPlayer."""
    group = await find_person(connection, player_id)
    rows = {row["player_id"]: row for row in await connection.fetch(READ, group.members)}
    own = rows.get(group.survivor)
    known = await connection.fetch(READ_KNOWN, group.members)
    old = sorted({row["offered_name"] for row in rows.values()} - {None})
    return OwnDetails(
        player_id=group.survivor,
        merged=[each for each in group.members if each != group.survivor],
        name=own["name"] if own else None,
        region=own["region"] if own else None,
        region_of_source=own["source_region"] if own else None,
        # A forgotten id is in no row, and hides the others.
        is_private=len(rows) < len(group.members) or any(r["is_private"] for r in rows.values()),
        privacy_by=own["privacy_by"] if own else "source",
        is_verified=bool(group.verified),
        offered_names=[
            *(
                OfferedName(row["name"], row["source"], row["source_name"])
                for row in known
                if row["name"] is not None
            ),
            *map(OfferedName, old),
        ],
        sources=sorted({(row["source"], row["source_name"] or row["source"]) for row in known}),
    )
