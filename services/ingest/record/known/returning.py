"""Tells whether a correction gives seats back that the operator had given to somebody else."""

from collections.abc import Sequence
from typing import Final

from services.ingest.record.known.groups import survivors_of
from services.ingest.record.known.seatings import read_reseats
from shared.answers.sessions import WarningAnswer
from shared.log.postgres import Connection

CODE: Final = "seats_returned"
MESSAGE: Final = (
    "In the session that this corrects, the seats of this player had been given to somebody else, "
    "because one address stood for two people. With this correction they are this player's again. "
    "If that is not meant, correct it once more with the other person's address, or tell the "
    "operator."
)


async def returned_seats(
    connection: Connection, session_id: str, rounds: Sequence[Sequence[str]]
) -> list[WarningAnswer]:
    """Return what to say of a correction that seats people whose seats had been reassigned.

    `rounds` are the players in it. A source whose file still has the one address of two people
    undoes with it what the operator did. Each of them is told once, where they sit first, and only
    those who were sent: a source hears nothing of others who had the seat in between.
    """
    reseat = (await read_reseats(connection, [session_id])).get(session_id)
    if reseat is None:
        return []
    seats = [seat for table in reseat.tables for seat in table]
    gave = {seat.taken[0].was for seat in seats if seat.taken}
    named = [player for players in rounds for player in players]
    survivors = await survivors_of(connection, [*gave, *named, *(seat.player for seat in seats)])
    sit = {survivors.get(seat.player, seat.player) for seat in seats}
    returned = {survivors.get(each, each) for each in gave} - sit
    places: dict[str, str] = {}
    for number, players in enumerate(rounds):
        for place, player in enumerate(players):
            survivor = survivors.get(player, player)
            if survivor in returned:
                places.setdefault(survivor, f"/rounds/{number}/players/{place}")
    return [{"pointer": each, "code": CODE, "message": MESSAGE} for each in places.values()]
