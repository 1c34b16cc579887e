"""Gives a player's seats in some sessions to another address, all of them or none.

Facts keep the ids they were written with, and what was sent still recognizes what is sent again.
The same request the other way undoes the first one; a request for what is already so gets the
same answer again. Read `reseat` first.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from services.ingest.changes.answering import ChangeAnswer, ChangePorts, effect_of, verdict_on
from services.ingest.changes.changeable import AlreadyCorrected, find_sessions, newest_of
from services.ingest.changes.notes import write_note
from services.ingest.claim.people import Person
from services.ingest.players.acts import FIND_BY_EMAIL, add_person
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import seated_players
from services.ingest.record.known.groups import (
    PlayedSession,
    PlayerMerged,
    members_of,
    note_changes,
    sessions_named,
    survivors_of,
)
from services.ingest.record.known.seatings import Reseat, read_reseats
from services.ingest.record.known.whole_record import free_ids
from services.ingest.record.reseating import write_reseats
from services.ingest.record.waterline import Writing
from shared.answers.effects import ReseatAnswer
from shared.errors import MahjicError, UnknownPlayer, UnknownSession
from shared.events.facts import SeatsReassigned
from shared.ids import BOB
from shared.log.postgres import Connection
from shared.replay.reseating import Tables, as_sent, reassigned, sitting_twice

READ_PLAYER = "SELECT EXISTS (SELECT FROM mahjic.players WHERE player_id = $1)"


class NotReseatable(MahjicError):
    """Bob and anonymous players have no seats to give, and no one gives a seat to themselves."""

    code = "not_reseatable"
    title = "These seats cannot be given to that player"
    status = 422


class NotSeated(MahjicError):
    """The player does not sit in some of the sessions, or they do not count."""

    code = "not_seated"
    title = "The player does not sit in these sessions"
    status = 409


class SeatTaken(MahjicError):
    """The other player sits at the same table already, so they are two people there."""

    code = "seat_taken"
    title = "The other player sits at the same table"
    status = 409


@dataclass(frozen=True, slots=True)
class AskedReseat:
    """Whose seats in which sessions go to which address."""

    player_id: str
    session_ids: tuple[str, ...]
    person: Person
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reseated:
    """A reassignment and its fact. Of the sessions, those `skipped` had been reassigned before."""

    fact_seq: int
    player_id: str
    to: str
    session_ids: tuple[str, ...]
    skipped: tuple[str, ...]
    is_replayed: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """The sessions of a request, who sits in them, and as whom everyone there is read."""

    played: Mapping[str, PlayedSession]
    reseats: Mapping[str, Reseat]
    survivor: Callable[[str], str]

    def tables(self, session_id: str) -> Tables[str]:
        reseat = self.reseats.get(session_id)
        if reseat is not None:
            return reseat.tables
        return as_sent([each.players for each in self.played[session_id].played.rounds])


async def reseat(
    asked: AskedReseat, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[ReseatAnswer]:
    """Give seats to another address. The answer says who moved, if that is known in time.

    Raises the same as `reseat_player`.
    """

    async def decide(connection: Connection, writing: Writing) -> Reseated:
        return await reseat_player(connection, writing, asked, ports.ids_and_times)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    reseated = await ports.recorder.decide(decide)
    verdict = await verdict_on(reseated.fact_seq, deadline_s, ports)
    body: ReseatAnswer = {
        "player_id": reseated.player_id,
        "to": reseated.to,
        "session_ids": reseated.session_ids,
        "skipped": reseated.skipped,
        "fact_seq": reseated.fact_seq,
        "seq": reseated.fact_seq,
        "effect": effect_of(reseated.fact_seq, verdict, shown_to=None),
    }
    return ChangeAnswer(body, verdict is not None, reseated.is_replayed)


async def reseat_player(
    connection: Connection, writing: Writing, asked: AskedReseat, ids_and_times: IdsAndTimes
) -> Reseated:
    """Treat the player's seats in these sessions as those of the address, from the beginning.

    Raises NotReseatable, UnknownPlayer, PlayerMerged, UnknownSession, AlreadyCorrected, NotSeated
    or SeatTaken before anything is written.
    """
    given = asked.player_id
    await _check_player(connection, given)
    known_id = await connection.fetchval(FIND_BY_EMAIL, asked.person.key)
    to = known_id or (await free_ids(connection, ["MJ"], ids_and_times))[0]
    found = await _find(connection, asked.session_ids, (given, to))
    if found.survivor(to) == given:
        raise NotReseatable(f"This address is the one of {given} already. Name another person's.")
    skipped = [each for each in asked.session_ids if _is_already_so(each, given, to, found)]
    moving = [each for each in asked.session_ids if each not in set(skipped)]
    if not moving:
        return _as_before(given, to, skipped, found)
    tables = _reassigned(moving, given, to, writing.next_seq, found)
    if known_id is None:
        await add_person(connection, to, asked.person)
    fact = SeatsReassigned(given, to, tuple(moving))
    fact_seq = await writing.append_fact(fact, ids_and_times.timestamp())
    await write_note(connection, fact_seq, asked.note)
    seated = {each: (found.played[each], tables[each]) for each in moving}
    await write_reseats(connection, fact_seq, fact, seated)
    changed = {*await members_of(connection, given), *await members_of(connection, to)}
    changed.add(found.survivor(to))
    await note_changes(connection, writing.head, sorted(changed))
    return Reseated(fact_seq, given, to, tuple(moving), tuple(skipped), is_replayed=False)


async def _check_player(connection: Connection, player_id: str) -> None:
    if player_id == BOB or player_id.startswith("AN-"):
        raise NotReseatable(
            f"{player_id} is imaginary or anonymous: there is no person with an address behind "
            "it. Name a player whose id starts with MJ-, or correct the sessions."
        )
    if not await connection.fetchval(READ_PLAYER, player_id):
        raise UnknownPlayer(f"There is no player with the id {player_id}.")
    survivor = (await survivors_of(connection, [player_id])).get(player_id)
    if survivor is not None:
        raise PlayerMerged(player_id, survivor)


async def _find(
    connection: Connection, session_ids: Sequence[str], both: tuple[str, str]
) -> _Found:
    """Return what is on record about sessions that count.

    Raises UnknownSession, AlreadyCorrected or NotSeated.
    """
    sessions = await find_sessions(connection, session_ids)
    if unknown := [each for each in session_ids if each not in sessions]:
        raise UnknownSession(unknown)
    if corrected := [each for each in session_ids if sessions[each].status == "corrected"]:
        raise AlreadyCorrected(await newest_of(connection, corrected))
    played = await sessions_named(connection, session_ids)
    gone = [e for e in session_ids if sessions[e].status == "voided" or e not in played]
    if gone:
        raise NotSeated(
            f"{_named(gone)} is voided, so no one sits there. Leave out what does not count; "
            "nothing was changed.",
            extra={"session_ids": gone},
        )
    reseats = await read_reseats(connection, session_ids)
    named = chain(
        both,
        *(seated_players(each.played) for each in played.values()),
        *(_ids_in(each) for each in reseats.values()),
    )
    survivors = await survivors_of(connection, named)
    return _Found(played, reseats, lambda player_id: survivors.get(player_id, player_id))


def _ids_in(reseat: Reseat) -> set[str]:
    seats = [seat for table in reseat.tables for seat in table]
    taken = {each for seat in seats for way in seat.taken for each in (way.was, way.given)}
    return {reseat.given, reseat.taker, *taken, *(seat.player for seat in seats)} - {BOB}


def _is_already_so(session_id: str, given: str, to: str, found: _Found) -> bool:
    """Return whether the last thing that was done to a session's seats is what is asked."""
    last = found.reseats.get(session_id)
    if last is None or found.survivor(last.given) != given:
        return False
    return found.survivor(last.taker) == found.survivor(to)


def _as_before(given: str, to: str, session_ids: Sequence[str], found: _Found) -> Reseated:
    newest = max(found.reseats[each].fact_seq for each in session_ids)
    by_it = [each for each in session_ids if found.reseats[each].fact_seq == newest]
    rest = [each for each in session_ids if found.reseats[each].fact_seq != newest]
    return Reseated(newest, given, to, tuple(by_it), tuple(rest), is_replayed=True)


def _reassigned(
    session_ids: Sequence[str], given: str, to: str, seq: int, found: _Found
) -> dict[str, Tables[str]]:
    """Return who sits in these sessions afterward. Raises NotSeated or SeatTaken."""
    after = {e: reassigned(found.tables(e), given, to, seq, found.survivor) for e in session_ids}
    without = [each for each in session_ids if after[each] == found.tables(each)]
    if without:
        raise NotSeated(
            f"{given} does not sit in {_named(without)}. Leave out those sessions; nothing was "
            "changed.",
            extra={"session_ids": without},
        )
    taken = [
        {"session_id": each, "rounds": rounds}
        for each in session_ids
        if (rounds := sitting_twice(after[each], found.survivor))
    ]
    if taken:
        told = ", ".join(f"round {_list(each['rounds'])} of {each['session_id']}" for each in taken)
        raise SeatTaken(
            f"The other player sits at the table already in {told}. Correct or leave out those "
            "sessions; nothing was changed.",
            extra={"sessions": taken},
        )
    return after


def _named(session_ids: Sequence[str]) -> str:
    return session_ids[0] if len(session_ids) == 1 else f"{len(session_ids)} of these sessions"


def _list(numbers: object) -> str:
    assert isinstance(numbers, list)
    return ", ".join(map(str, numbers))
