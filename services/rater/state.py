"""What the rater knows: what happened, and everyone's standing in both pools.

Pure, and a cache of the fact log: replaying the log rebuilds it.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.events.verdicts import FactRefused, SessionRated, VerdictEvent
from shared.rating.columns import Events, RatingRecord, Standings
from shared.rating.kernel import Loop, rate
from shared.rating.parameters import Parameters
from shared.rating.registry import Formula
from shared.replay.chronicle import Chronicle, FactAboutNow, SeatedSessions
from shared.replay.gathered import BOB_INDEX
from shared.replay.merges import root
from shared.replay.session_rating import NEWCOMER, Standing

# The standings have room for a few more players than there are.
ROOM_MIN: Final = 64
ROOM_SHARE: Final = 8
# The four numbers of a player are side by side, in the order of Standing. Reading and writing them
# like this costs a tenth of what numpy takes.
NUMBERS: Final = Struct("=4q")


class Moved(NamedTuple):
    """The players that some sessions moved, in rising order, their new numbers, and every round.

    players int64[m], numbers int64[m,4] as in Standings.
    """

    players: NDArray[np.int64]
    numbers: NDArray[np.int64]
    record: RatingRecord


class State:
    """The chronicle and all standings. `time` is that of the last readable fact."""

    def __init__(self, chronicle: Chronicle) -> None:
        self.chronicle = chronicle
        self._find = chronicle.find_player
        self.time = "1970-01-01T00:00:00.000000Z"
        self.put(Standings.of_newcomers(chronicle.players))

    @property
    def formula(self) -> Formula | None:
        """The current formula; None before the first one is adopted."""
        return self.chronicle.formula

    @property
    def standings(self) -> Standings:
        """The standings in columns, one row per player; callers must not change them."""
        players = self.chronicle.players
        room = self._room
        return Standings(
            room.numbers[:players], room.is_verified[:players], room.verified_members[:players]
        )

    def put(self, standings: Standings) -> None:
        """Replace the standings held with others, of all players or fewer."""
        players = self.chronicle.players
        self._room = standings.grown(players + players // ROOM_SHARE + ROOM_MIN)
        self._numbers = self._room.numbers.data.cast("B")
        self._is_verified = self._room.is_verified.data
        self._verified_members = self._room.verified_members.data

    def standing(self, player_id: str) -> Standing:
        """Return a player's standing; someone unknown, like Bob, is at 1500 with 0 games."""
        index = self._find(player_id)
        if index is None:
            return NEWCOMER
        numbers = NUMBERS.unpack_from(self._numbers, NUMBERS.size * index)
        return Standing._make((*numbers, self._verified_members[index] > 0))

    def evolve(self, seq: int, fact: FactAboutNow, verdict: VerdictEvent) -> None:
        """Apply fact `seq`, which must be the next one, and the verdict on it."""
        if isinstance(verdict, FactRefused):
            return
        named = self.chronicle.append(seq, fact)
        if self.chronicle.players > len(self._is_verified):
            self.put(self._room)
        if isinstance(verdict, SessionRated):
            self._take_in(verdict, iter(named))
        elif isinstance(fact, PlayerVerified | PlayerVerificationEnded):
            self._verify(named[0], is_verified=isinstance(fact, PlayerVerified))

    def rate(self, seated: SeatedSessions, rules: Parameters, loop: Loop) -> Moved:
        """Rate sessions from everyone's current standing, and change nothing yet."""
        players = np.union1d(seated.as_played[seated.as_played > 0], BOB_INDEX)
        held = players[: np.searchsorted(players, self.chronicle.players)]
        room = self._room
        standings = Standings(
            room.numbers[held], room.is_verified[held], room.verified_members[held]
        ).grown(len(players))
        sessions = seated.rounds.sessions()
        record = RatingRecord.of_rounds(len(seated.as_played))
        rate(
            seated.rounds.rounds(np.searchsorted(players, seated.as_played)),
            sessions,
            Events.of_rows(0),
            standings,
            rules,
            session_from=0,
            session_to=len(sessions.place),
            event_from=0,
            survivor=np.arange(len(players), dtype=np.int32),
            record=record,
            loop=loop,
        )
        return Moved(players, standings.numbers, record)

    def move(self, seated: SeatedSessions, moved: Moved) -> None:
        """Apply rated sessions and their ratings."""
        self.chronicle.append_seated(seated)
        if self.chronicle.players > len(self._is_verified):
            self.put(self._room)
        self._room.numbers[moved.players] = moved.numbers

    def _take_in(self, session: SessionRated, seated: Iterator[int]) -> None:
        """Apply a session; `seated` are the indexes of all seats of all its rounds."""
        links = self.chronicle.links
        for rated in session.rounds:
            for rating, change, games, verified, verified_change, verified_games in zip(
                rated.rating_before,
                rated.rating_change,
                rated.games_after,
                rated.verified_rating_before,
                rated.verified_rating_change,
                rated.verified_games_after,
                strict=True,
            ):
                at = NUMBERS.size * root(links, next(seated))
                after = (rating + change, games, verified + verified_change, verified_games)
                NUMBERS.pack_into(self._numbers, at, *after)

    def _verify(self, index: int, *, is_verified: bool) -> None:
        survivor = root(self.chronicle.links, index)
        self._verified_members[survivor] += is_verified - self._is_verified[index]
        self._is_verified[index] = is_verified
