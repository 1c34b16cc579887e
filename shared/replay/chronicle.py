"""What happened, in columns: every fact that counts, so that there is a history as of any.

The columns are only ever appended to. Facts that are impossible after those before are left out.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import ReseatedSession
from shared.rating.columns import Events, Index
from shared.rating.registry import Formula
from shared.replay import merges
from shared.replay.adoptions import Adoptions, check_known
from shared.replay.columns import Columns
from shared.replay.gathered import Gathered, can_sit_together, gather
from shared.replay.history import PlayedHistory
from shared.replay.merges import NOBODY, Links, Merges
from shared.replay.players import Players
from shared.replay.possible import ImpossibleFact, adds_up, is_nobody
from shared.replay.reseating import reassigned, sitting_twice
from shared.replay.reseats import Reseats, reseated_session
from shared.replay.sessions import KIND, NAMED_AGAIN, ROW, SUPERSEDED, VOIDED, PlayedSessions

# Facts that leave the past as it was, and facts that change it.
FactAboutNow: TypeAlias = (
    SessionSubmitted | PlayerVerified | PlayerVerificationEnded | FormulaAdopted
)
FactAboutThePast: TypeAlias = (
    SessionsVoided
    | SessionCorrected
    | PlayersMerged
    | PlayersUnmerged
    | SeatsReassigned
    | FormulaAdoptedFromBeginning
)


# Fewer sessions are added faster one after the other.
TOGETHER_MIN: Final = 16


class SeatedSessions(NamedTuple):
    """Sessions that can be added, and who sits where in their rounds.

    The tables are int64[n, 4], -1 at empty seats: `tables` by the ids on the facts, and `as_played`
    by the players they count as. `newcomers` are added in their order.
    """

    facts: Sequence[tuple[int, SessionSubmitted]]
    rounds: Gathered
    tables: NDArray[np.int64]
    as_played: NDArray[np.int64]
    newcomers: Sequence[str]


class Chronicle:
    """Everything that ever happened. A player is an index, by order of first appearance; Bob is 0.

    A place in the history is the seq of a fact: a session's own, or, for one that corrects another,
    the place of that. One thread at a time may use it.
    """

    def __init__(self, columns: Columns) -> None:
        self._players = Players(columns)
        # Asked for every seat: the index of a player, None for one who never appeared; and the
        # index also of one who appears by that.
        self.find_player = self._players.find
        self.player_index = self._players.add
        self._sessions = PlayedSessions(columns)
        self._merges = Merges(columns)
        self._reseats = Reseats(columns)
        self._adoptions = Adoptions(columns)
        self._verified_place = columns.column("verification_place", "int64")
        self._verified_player = columns.column("verification_player", "int32")
        self._is_verified = columns.column("verification_is_verified", "uint8")

    def take_in(self, seq: int, event: FactEvent) -> None:
        """Add fact `seq`, which comes after all facts added before.

        Raises ImpossibleFact, UnknownFormula or FormulaDiffers, and then nothing is changed.
        """
        if isinstance(event, FactAboutNow):
            self.check(event)
            self.append(seq, event)
        elif isinstance(event, SessionsVoided):
            self._void(seq, event)
        elif isinstance(event, SessionCorrected):
            self._correct(seq, event)
        elif isinstance(event, PlayersMerged):
            self._merge(seq, event)
        elif isinstance(event, PlayersUnmerged):
            self._unmerge(seq, event)
        elif isinstance(event, SeatsReassigned):
            self._reseat(seq, event)
        else:
            check_known(event.formula, event.parameters)
            self._adoptions.append(seq, event.formula, is_from_beginning=True)

    def take_in_all(
        self, facts: Iterable[tuple[int, FactEvent]], together_min: int = TOGETHER_MIN
    ) -> dict[int, str]:
        """Add facts one after the other; return why some were refused, by seq.

        Consecutive sessions are added together if there are enough, in a fraction of the time.
        Raises UnknownFormula or FormulaDiffers, and then what came before has been added.
        """
        refused: dict[int, str] = {}
        for _, group in groupby(facts, lambda fact: type(fact[1])):
            together = [*group]
            if len(together) >= together_min and self._take_in_sessions(together):
                continue
            for seq, event in together:
                try:
                    self.take_in(seq, event)
                except ImpossibleFact as error:
                    refused[seq] = error.reason
        return refused

    def check(self, event: FactAboutNow) -> None:
        """Check that a fact is possible as of now. Raises as `take_in` does."""
        if isinstance(event, SessionSubmitted):
            assert self.formula is not None, "The first record of every log adopts a formula."
            self._check_playable(event)
        elif isinstance(event, FormulaAdopted):
            check_known(event.formula, event.parameters)
        elif is_nobody(event.player_id):
            raise ImpossibleFact("impossible_verification", None)

    def append(self, seq: int, event: FactAboutNow) -> Sequence[int]:
        """Add fact `seq`, which was checked; return the players it names, seat by seat."""
        if isinstance(event, SessionSubmitted):
            return self._append_session(seq, seq, event)
        if isinstance(event, FormulaAdopted):
            self._adoptions.append(seq, event.formula, is_from_beginning=False)
            return ()
        player = self._players.add(event.player_id)
        self._verified_place.append((seq,))
        self._verified_player.append((player,))
        self._is_verified.append((isinstance(event, PlayerVerified),))
        return (player,)

    def seat(self, facts: Sequence[tuple[int, SessionSubmitted]]) -> SeatedSessions | None:
        """Return who sits where in consecutive sessions; None if any is impossible."""
        gathered = gather([session for _, session in facts])
        if gathered is None:
            return None
        assert self.formula is not None, "The first record of every log adopts a formula."
        seated, newcomers = self._players.found(gathered.player_ids)
        tables = as_played = gathered.at_tables(seated)
        if self.links:
            as_played = gathered.at_tables([merges.root(self.links, each) for each in seated])
        if not can_sit_together(tables) or not can_sit_together(as_played):
            return None
        return SeatedSessions(facts, gathered, tables, as_played, newcomers)

    def append_seated(self, seated: SeatedSessions) -> None:
        """Add the sessions that were seated last."""
        for player_id in seated.newcomers:
            self._players.add(player_id)
        self._sessions.append_all(
            [seq for seq, _ in seated.facts],
            [session.session_id for _, session in seated.facts],
            seated.rounds,
            seated.tables,
        )

    # Who.

    @property
    def players(self) -> int:
        """How many players there are, Bob among them."""
        return len(self._players)

    def player_id(self, index: int) -> str:
        return self._players[index]

    def player_ids(self, indexes: NDArray[np.integer]) -> list[str]:
        return self._players.ids_of(indexes)

    @property
    def links(self) -> Links:
        """Which player is merged into which now, by index; callers must not change it."""
        return self._merges.links

    def read_as(self, player_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return which player each of these counts as now: themselves, unless merged."""
        return tuple(map(self._read_as, player_ids)) if self.links else player_ids

    def survivors(self, as_of: int) -> Index:
        """Return for each player, as of fact `as_of`, which player they count as: int32[p]."""
        return self._merges.survivors(as_of, self.players)

    # What.

    @property
    def formula(self) -> Formula | None:
        """The formula in use now; None before the first one is adopted."""
        return self._adoptions.now

    def history(self, as_of: int, place_from: int = 0) -> PlayedHistory:
        """Return what counts as of a fact, from a place on."""
        place, player = self._verified_place.rows, self._verified_player.rows
        end = int(np.searchsorted(place, as_of, side="right"))
        return PlayedHistory(
            as_of=as_of,
            place_from=place_from,
            rounds=self._sessions.rounds(),
            sessions=self._sessions.in_order(as_of, place_from),
            events=Events(place[:end], player[:end], self._is_verified.rows[:end]),
            adopted=self._adoptions.as_of(as_of),
            survivor=self.survivors(as_of),
        )

    def first_place(self, seq: int) -> int:
        """Return the first place that fact `seq`, about the past, touches.

        The history before that place is as it was. A fact that touches nothing returns `seq`.
        """
        if self._adoptions.is_from_beginning(seq):
            return 0
        endings = self._sessions.ended_by(seq)
        ended = endings[endings[:, KIND] != NAMED_AGAIN, ROW].tolist()
        merged = self._merges.at(seq)
        places = [self._sessions.place(row) for row in ended]
        if merged is not None:
            places += self._first_places_of(merged[0], seq)
        return min(places, default=seq)

    def session_players(self, seq: int) -> NDArray[np.int32]:
        """Return the players that fact `seq`, about the past, concerns.

        They are those seated in the sessions that it names and brings, or those it merges, or those
        whose seats it reassigns and who get them.
        """
        merged = self._merges.at(seq)
        if merged is not None:
            player, into = merged
            was_into = self._merges.links_as_of(seq - 1).get(player, into)
            return np.array((player, was_into), np.int32)
        if reseated := self._sessions.reseated_by(seq):
            return self._sessions.exchanged(reseated)
        rows = self._sessions.ended_by(seq)[:, ROW].tolist()
        return self._sessions.seated({*rows, *self._sessions.taken_in_by(seq)})

    def reseated(self, seq: int, event: SeatsReassigned) -> tuple[ReseatedSession, ...]:
        """Return the seats that fact `seq` reassigned, for each session that it names."""
        rows = self._sessions.reseated_by(seq)
        return tuple(
            reseated_session(self._sessions, *both, session_id, self.player_id)
            for both, session_id in zip(rows, dict.fromkeys(event.sessions), strict=True)
        )

    def copied_rounds(self, seq: int) -> list[range]:
        """Return the rows of the rounds that fact `seq` copied, in order, to put others there."""
        return [self._sessions.rounds_of(before) for before, _ in self._sessions.reseated_by(seq)]

    def told_round(self, row: int) -> tuple[int, int]:
        """Return the fact that brought a round, by its row, and its number in the session."""
        return self._sessions.told(row)

    def _first_places_of(self, player: int, seq: int) -> list[int]:
        """Return where anyone of a player's group first sits at a table and is first verified.

        Before that it makes no difference whether the player is merged into another.
        """
        links = dict(self._merges.links_as_of(seq))
        links.pop(player, None)
        members = merges.group(links, player)
        rounds = self._sessions.rounds_with(members, seq)
        is_member = np.isin(self._verified_player.rows, np.fromiter(members, np.int32))
        places = self._verified_place.rows[is_member]
        return [
            *self._sessions.places_of(rounds).tolist(),
            *places[places <= seq].tolist(),
        ]

    def _read_as(self, player_id: str) -> str:
        index = self._players.find(player_id)
        if index not in self.links:
            return player_id
        return self._players[merges.root(self.links, index)]

    def _take_in_sessions(self, facts: Sequence[tuple[int, FactEvent]]) -> bool:
        """Add facts if all are possible sessions; otherwise nothing is changed."""
        sessions = [(seq, event) for seq, event in facts if isinstance(event, SessionSubmitted)]
        seated = self.seat(sessions) if len(sessions) == len(facts) else None
        if seated is not None:
            self.append_seated(seated)
        return seated is not None

    def _void(self, seq: int, event: SessionsVoided) -> None:
        found = self._sessions.find(event.session_ids)
        for session_id in event.session_ids:
            row = found.get(session_id)
            if row is None or self._sessions.is_superseded(row):
                raise ImpossibleFact("impossible_correction", session_id)
        for row in map(found.__getitem__, event.session_ids):
            self._sessions.end(seq, row, NAMED_AGAIN if self._sessions.has_ended(row) else VOIDED)

    def _correct(self, seq: int, event: SessionCorrected) -> None:
        row = self._sessions.find([event.corrects]).get(event.corrects)
        if row is None or self._sessions.is_superseded(row):
            raise ImpossibleFact("impossible_correction", event.session.session_id)
        self._check_playable(event.session)
        self._sessions.end(seq, row, SUPERSEDED)
        self._append_session(seq, self._sessions.place(row), event.session)

    def _merge(self, seq: int, event: PlayersMerged) -> None:
        ids = (event.player_id, event.into)
        known = [index for index in map(self._players.find, ids) if index is not None]
        if (
            event.player_id == event.into
            or any(map(is_nobody, ids))
            or any(index in self.links for index in known)
            or (len(known) == 2 and self._have_met(known[0], known[1], seq))
        ):
            raise ImpossibleFact("impossible_merge", None)
        self._merges.append(seq, *map(self._players.add, ids))

    def _unmerge(self, seq: int, event: PlayersUnmerged) -> None:
        player = self._players.find(event.player_id)
        into = self._players.find(event.merged_into)
        if player is None or into is None or self.links.get(player) != into:
            raise ImpossibleFact("impossible_merge", None)
        self._merges.append(seq, player, NOBODY)

    def _reseat(self, seq: int, event: SeatsReassigned) -> None:
        given, to = self._players.find(event.from_), self._players.find(event.to)
        if given is None or given in self.links or any(map(is_nobody, (event.from_, event.to))):
            raise ImpossibleFact("impossible_reseat", None)
        to = self.players if to is None else to
        count_as = partial(merges.root, self.links)
        if count_as(to) == given:
            raise ImpossibleFact("impossible_reseat", None)
        found = self._sessions.find(event.sessions)
        after = {}
        for session_id in event.sessions:
            row = found.get(session_id)
            if row is None or self._sessions.has_ended(row):
                raise ImpossibleFact("impossible_reseat", session_id)
            before = self._reseats.tables(self._sessions, row)
            after[row] = reassigned(before, given, to, seq, count_as)
            if after[row] == before or sitting_twice(after[row], count_as):
                raise ImpossibleFact("impossible_reseat", session_id)
        if not after:
            raise ImpossibleFact("impossible_reseat", None)
        self._players.add(event.to)
        for row, tables in after.items():
            seated = [[seat.player for seat in table] for table in tables]
            self._reseats.append(self._sessions.reseat(seq, row, seated), tables)

    def _check_playable(self, session: SessionSubmitted) -> None:
        """Check that a session adds up, and that no one sits in two seats by two ids."""
        if not adds_up(session) or (self.links and self._has_one_twice(session)):
            raise ImpossibleFact("impossible_round", session.session_id)

    def _has_one_twice(self, session: SessionSubmitted) -> bool:
        for played in session.rounds:
            known = [self._players.find(player_id) for player_id in played.players]
            roots = [merges.root(self.links, each) for each in known if each is not None]
            if len(set(roots)) < len(roots):
                return True
        return False

    def _have_met(self, one: int, other: int, seq: int) -> bool:
        """Return whether members of two groups sat at the same table in a round that counts."""
        theirs = merges.group(self.links, one)
        tables = self._sessions.tables(self._sessions.rounds_with(theirs, seq))
        return bool(np.isin(tables, list(merges.group(self.links, other))).any())

    def _append_session(self, seq: int, place: int, session: SessionSubmitted) -> Sequence[int]:
        add = self._players.add
        table: tuple[str, ...] = ()
        seats: list[int] = []
        seated: list[int] = []
        for played in session.rounds:
            if played.players != table:  # Mostly the same people play the next round.
                table = played.players
                seats = [add(player_id) for player_id in table]
            seated += seats
        self._sessions.append(seq, place, session, seated)
        return seated
