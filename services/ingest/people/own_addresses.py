"""Which player an address is, and what happens to it when its owner logs in or takes it away."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from services.ingest.claim.people import read_person
from services.ingest.players.acts import Registered, put_on_record
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import note_changes, survivor_of
from services.ingest.record.waterline import Writing
from shared.addresses import read_address
from shared.db.erasing import note_erased
from shared.errors import MahjicError
from shared.log.postgres import Connection

FIND: Final = """
SELECT mahjic.survivor(player_id) FROM mahjic.people WHERE email = $1
"""
FIND_ALL: Final = """
SELECT found.survivor,
    ARRAY(SELECT player_id FROM mahjic.members(found.survivor) AS own (player_id) ORDER BY 1)
        AS player_ids,
    ARRAY(
        SELECT email FROM mahjic.members(found.survivor) AS own (player_id)
        JOIN mahjic.people USING (player_id) WHERE email IS NOT NULL ORDER BY email
    ) AS addresses
FROM (
    SELECT mahjic.survivor(people.player_id) AS survivor, min(given.place) AS place
    FROM unnest($1::text[]) WITH ORDINALITY AS given (address, place)
    JOIN mahjic.people AS people ON people.email = given.address
    GROUP BY 1
) AS found
ORDER BY found.place
"""
FIND_ID: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
# Whoever looks after a player by one of its addresses can do so after the other is gone.
IS_HELD: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.members(mahjic.survivor($1)) AS own (player_id)
    JOIN mahjic.people USING (player_id) WHERE email = ANY($2)
)
"""
SET_ADDRESS: Final = "UPDATE mahjic.people SET email = $2 WHERE player_id = $1"


class CannotBeClaimed(MahjicError):
    """The address stands for nobody."""

    code = "cannot_be_claimed"
    title = "This address cannot be claimed"
    status = 422


class OnlyAddressOfPlayer(MahjicError):
    """Without this address, nobody could look after a player."""

    code = "only_address_of_player"
    title = "A player of yours has this address only"
    status = 409


@dataclass(frozen=True, slots=True)
class KnownPlayer:
    """A player behind an address: the id that stands for it, all ids, and all addresses."""

    player_id: str
    player_ids: Sequence[str]
    addresses: Sequence[str] = field(repr=False)


async def players_of(connection: Connection, addresses: Sequence[str]) -> Sequence[KnownPlayer]:
    """Return the players that addresses stand for, each once, in the order of the addresses."""
    rows = await connection.fetch(FIND_ALL, [read_address(each) for each in addresses])
    return [KnownPlayer(row["survivor"], row["player_ids"], row["addresses"]) for row in rows]


async def player_of(connection: Connection, address: str) -> str | None:
    """Return the player whose address it is, or None if nobody has sent it yet."""
    found: str | None = await connection.fetchval(FIND, read_address(address))
    return found


async def claim(
    connection: Connection, writing: Writing, address: str, ids_and_times: IdsAndTimes
) -> Registered:
    """Return the player of an address that its owner has proved; a new one if there is none.

    Someone who claims an address before their first game has a Mahjic ID to show at the table, and
    the session that names the address finds it. Only who says so becomes a player: those who log in
    to help a source need not. Raises CannotBeClaimed.
    """
    person = read_person(read_address(address))
    if person.kind != "person":
        raise CannotBeClaimed("Bob is imaginary, and nobody's player. Use an address of your own.")
    return await put_on_record(connection, writing, person, ids_and_times)


async def detach(
    connection: Connection, writing: Writing, address: str, *, others: Sequence[str] = ()
) -> None:
    """Take an address from its player for good. The player stays.

    A person who has proved `others`, too, keeps the player: if none of them stands for it, the
    first does that is nobody's yet. Raises OnlyAddressOfPlayer if each is another player's: then
    nobody could hide or forget this one anymore. Whoever is named by the address later is someone
    new. An address of nobody changes nothing.
    """
    player_id = await connection.fetchval(FIND_ID, read_address(address))
    if player_id is None:
        return
    kept = None
    if others and not await connection.fetchval(IS_HELD, player_id, list(others)):
        kept = await _free_among(connection, others)
        if kept is None:
            raise OnlyAddressOfPlayer(
                f"{player_id} has no other address, and your other addresses are those of other "
                "players. Without it, nobody could change or forget what is shown of that player. "
                "Put your players together first; nothing was changed."
            )
    await connection.execute(SET_ADDRESS, player_id, kept)
    await note_erased(connection, "people")
    survivor = await survivor_of(connection, player_id)
    await note_changes(connection, writing.head, sorted({player_id, survivor}))


async def _free_among(connection: Connection, addresses: Sequence[str]) -> str | None:
    """Return the first of some addresses that can be a player's and is not, None without any."""
    for address in addresses:
        person = read_person(address)
        if person.kind == "person" and await connection.fetchval(FIND_ID, person.key) is None:
            return person.key
    return None
