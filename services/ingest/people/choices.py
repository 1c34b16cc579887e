"""What people choose about themselves: the public name, the region, and whether they are seen."""

from dataclasses import dataclass
from typing import Final

from services.ingest.players.grouped import find_person, write_privacy
from services.ingest.record.known.groups import note_changes
from services.ingest.record.waterline import Writing
from shared.access.sources import REGIONS
from shared.db.erasing import note_erased
from shared.errors import MahjicError
from shared.log.postgres import Connection
from shared.own_words.public_names import read_public_name

NOTHING: Final = ""

# A survivor keeps what it chose, and so does whoever is merged into it (decision 0011).
WRITE: Final = """
UPDATE mahjic.people AS own
SET name = CASE WHEN $2 THEN $3 ELSE own.name END,
    region = CASE WHEN $4 THEN $5 ELSE own.region END
FROM (SELECT player_id, name FROM mahjic.people WHERE player_id = $1) AS before
WHERE own.player_id = before.player_id AND (
    ($2 AND own.name IS DISTINCT FROM $3) OR ($4 AND own.region IS DISTINCT FROM $5)
)
RETURNING before.name IS NOT NULL AND before.name IS DISTINCT FROM own.name AS is_old_name_gone
"""


class UnfitRegion(MahjicError):
    """The region of a player is one of a few."""

    code = "unfit_region"
    title = "There is no such region"
    status = 422


@dataclass(frozen=True, slots=True)
class Choices:
    """What someone chooses. What is None stays as it was, and NOTHING takes it away.

    Without a region of their own, people are in that of the source that had them first.
    """

    name: str | None = None
    region: str | None = None
    is_private: bool | None = None


async def choose(
    connection: Connection, writing: Writing, player_id: str, choices: Choices
) -> None:
    """Write down what someone chose about themselves. Sources can't change it afterward.

    Raises UnfitName, UnfitRegion or UnknownPlayer before anything is written.
    """
    name = read_public_name(choices.name) if choices.name else None
    region = choices.region or None
    if region is not None and region not in REGIONS:
        raise UnfitRegion(f"The region must be one of {', '.join(REGIONS)}. Choose one of these.")
    group = await find_person(connection, player_id)
    written = await connection.fetchrow(
        WRITE,
        group.survivor,
        choices.name is not None,
        name,
        choices.region is not None,
        region,
    )
    if written is not None:
        await note_changes(connection, writing.head, [group.survivor])
        if written["is_old_name_gone"]:
            await note_erased(connection, "people")
    if choices.is_private is not None:
        await write_privacy(connection, writing, group, is_private=choices.is_private, by="player")
