"""What a source calls people: also those whom it has taken off its roster, for what they played.

A name that its own people typed comes first, then the one that it sent last, then the name that
somebody chose to be seen by, or the nickname that it gave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.answers.seen import called
from shared.log.postgres import Connection
from shared.seated import read_people

READ_CALLED: Final = """
SELECT asked.player_id,
    COALESCE(own.name, new.name, known.name, public.name, people.nickname) AS name
FROM unnest($2::text[]) AS asked (player_id)
JOIN mahjic.acquaintances AS known
    ON known.player_id = asked.player_id AND known.source = $1
JOIN mahjic.people AS people ON people.player_id = asked.player_id
LEFT JOIN mahjic.roster AS own ON own.source = $1 AND own.player_id = asked.player_id
LEFT JOIN mahjic.roster AS new ON new.source = $1 AND new.address = people.email
LEFT JOIN mahjic.public_players AS public
    ON public.player_id = mahjic.survivor(asked.player_id)
"""


@dataclass(frozen=True, slots=True)
class CalledPerson:
    """What a source calls somebody whom it has named, and what it sends as their `email`."""

    name: str | None = field(repr=False)
    sent: str = field(repr=False)


async def read_called(
    connection: Connection, source: str, player_ids: Sequence[str]
) -> Mapping[str, CalledPerson]:
    """Return what a source calls some of those whom it has named. Nobody else is in it."""
    rows = await connection.fetch(READ_CALLED, source, list(player_ids))
    people = await read_people(connection.fetch, list(player_ids), source=source)
    found = {}
    for row in rows:
        someone = people.get(row["player_id"])
        sent = None if someone is None else called(someone, "own")
        if sent is not None:
            found[row["player_id"]] = CalledPerson(row["name"], sent)
    return found
