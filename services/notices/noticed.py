"""What a verdict has to tell sources: about a session, or about players. Pure.

Who is told, and whom of the players they see, is looked up later.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from shared.events.codec import Verdict
from shared.events.facts import (
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionsVoided,
)
from shared.events.verdicts import FactNoted, RatingsCorrected, SessionRated
from shared.ids import BOB
from shared.notices.kinds import NoticeKind

_OF_PLAYERS: Final[Mapping[str, NoticeKind]] = {
    PlayerVerified.TYPE: "player.verified",
    PlayerVerificationEnded.TYPE: "player.verification_ended",
}


@dataclass(frozen=True, slots=True)
class MovedPlayer:
    """What happened to the ratings of one player, in centi.

    `player_id` is the id on the facts, `counts_as` that of the player whose rating it is.
    """

    player_id: str
    counts_as: str
    rating_before: int
    rating_change: int
    games_after: int
    verified_rating_before: int
    verified_rating_change: int
    verified_games_after: int

    @property
    def has_moved(self) -> bool:
        """Whether a rating is another one than before."""
        return bool(self.rating_change or self.verified_rating_change)

    def and_then(self, later: "MovedPlayer") -> "MovedPlayer":
        """Return what this and a later round did together."""
        return MovedPlayer(
            self.player_id,
            self.counts_as,
            self.rating_before,
            self.rating_change + later.rating_change,
            later.games_after,
            self.verified_rating_before,
            self.verified_rating_change + later.verified_rating_change,
            later.verified_games_after,
        )


@dataclass(frozen=True, slots=True)
class AboutSession:
    """Something happened to a session, which its source is told.

    `replaces` is the session in whose place it counts. `seq` is a fact that readers may ask for.
    """

    kind: NoticeKind
    cause: str
    at: datetime
    seq: int
    session_id: str
    replaces: str | None = None
    moved: Sequence[MovedPlayer] = ()


@dataclass(frozen=True, slots=True)
class AboutPlayers:
    """Something happened to players, which the sources are told who know them and see them.

    `apart_from` are the sessions whose sources are told in another way.
    """

    kind: NoticeKind
    cause: str
    at: datetime
    seq: int
    moved: Sequence[MovedPlayer] = ()
    player_ids: Sequence[str] = ()
    apart_from: Sequence[str] = ()


Noticed: TypeAlias = AboutSession | AboutPlayers


def noticed(verdict: Verdict) -> Iterator[Noticed]:
    """Return what there is to tell about a verdict; of one in parts, the first has the sessions."""
    at, answers, event = datetime.fromisoformat(verdict.time), verdict.answers, verdict.event
    seq = answers.fact_seq
    if isinstance(event, SessionRated):
        cause = f"session.rated {event.session_id}"
        moved = moved_in(event)
        yield AboutSession("session.rated", cause, at, seq, event.session_id, moved=moved)
    elif isinstance(event, RatingsCorrected):
        if answers.part == 1:
            yield from _sessions_of(event, at, seq)
        cause = f"ratings.corrected {seq}.{answers.part}"
        moved = [each for each in _corrected(event) if each.has_moved]
        apart_from = _own_sessions(event.data)
        yield AboutPlayers("ratings.corrected", cause, at, seq, moved=moved, apart_from=apart_from)
    elif isinstance(event, FactNoted) and (kind := _OF_PLAYERS.get(event.fact_type)) is not None:
        player_id = str(event.data["player_id"])
        yield AboutPlayers(kind, f"{kind} {seq}", at, seq, player_ids=[player_id])


def moved_in(session: SessionRated) -> list[MovedPlayer]:
    """Return what a session did to each of its players, in the order in which they first sat."""
    found: dict[str, MovedPlayer] = {}
    for rated in session.rounds:
        seated = rated.played_as or rated.players
        for seat, player_id in enumerate(seated):
            if player_id == BOB:
                continue
            moved = MovedPlayer(
                player_id,
                rated.players[seat],
                rated.rating_before[seat],
                rated.rating_change[seat],
                rated.games_after[seat],
                rated.verified_rating_before[seat],
                rated.verified_rating_change[seat],
                rated.verified_games_after[seat],
            )
            earlier = found.get(player_id)
            found[player_id] = moved if earlier is None else earlier.and_then(moved)
    return list(found.values())


def _sessions_of(event: RatingsCorrected, at: datetime, seq: int) -> Iterator[AboutSession]:
    """Return the sessions that a change was about."""
    data, session = event.data, event.session
    if session is not None:
        yield AboutSession(
            "session.corrected",
            f"session.corrected {session.session_id}",
            at,
            seq,
            session.session_id,
            replaces=data["corrects"],
            moved=moved_in(session),
        )
    elif event.fact_type == SessionsVoided.TYPE:
        for session_id in data["session_ids"]:
            cause = f"session.voided {session_id}"
            yield AboutSession("session.voided", cause, at, seq, session_id)
    elif event.fact_type == SeatsReassigned.TYPE:
        for session_id in data["sessions"]:
            cause = f"session.corrected {seq} {session_id}"
            yield AboutSession("session.corrected", cause, at, seq, session_id)


def _own_sessions(data: Mapping[str, Any]) -> list[str]:
    """Return the sessions that were changed: their sources are told so, each of its own."""
    voided = data.get("session_ids", data.get("sessions", ()))
    return [*voided, *([data["corrects"]] if "corrects" in data else ())]


def _corrected(event: RatingsCorrected) -> Iterator[MovedPlayer]:
    for place, player_id in enumerate(event.players):
        yield MovedPlayer(
            player_id,
            player_id,
            event.rating_before[place],
            event.rating_change[place],
            event.games_after[place],
            event.verified_rating_before[place],
            event.verified_rating_change[place],
            event.verified_games_after[place],
        )
