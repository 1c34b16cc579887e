"""What happened, as of some fact: which sessions count, in which order, and who is who.

Every question is answered from the list of all facts so far, read from its beginning.
"""

from collections.abc import Sequence
from dataclasses import replace

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

Facts = Sequence[tuple[int, FactEvent]]
BOB = "BOB"


# Who sits there, and those who had to leave before: the id, the player who was named, and the fact.
Chair = tuple[str, tuple[tuple[str, str, int], ...]]


class Sessions:
    """Every session that was ever taken in: its place, who sits there, and what became of it."""

    def __init__(self, facts: Facts) -> None:
        self.of: dict[str, SessionSubmitted] = {}
        self.place: dict[str, int] = {}
        self.voided: set[str] = set()
        self.corrected: set[str] = set()
        self._chairs: dict[str, dict[tuple[int, int], Chair]] = {}
        merged_into: dict[str, str] = {}
        for seq, fact in facts:
            _follow(merged_into, fact)
            if isinstance(fact, SessionSubmitted):
                self._take_in(fact, seq)
            elif isinstance(fact, SessionCorrected):
                self._take_in(fact.session, self.place[fact.corrects])
                self.corrected.add(fact.corrects)
            elif isinstance(fact, SessionsVoided):
                self.voided |= set(fact.session_ids)
            elif isinstance(fact, SeatsReassigned):
                for session_id in set(fact.sessions):
                    self.reseat(session_id, fact, seq, merged_into)

    def _take_in(self, session: SessionSubmitted, place: int) -> None:
        self.of[session.session_id] = session
        self.place[session.session_id] = place
        self._chairs[session.session_id] = {
            (number, seat): (player, ())
            for number, played in enumerate(session.rounds)
            for seat, player in enumerate(played.players)
        }

    def reseat(
        self, session_id: str, fact: SeatsReassigned, seq: int, merged_into: dict[str, str]
    ) -> SessionSubmitted:
        """Put another in the chairs of a player, or back those who had to leave for the player."""
        chairs = self._chairs[session_id]
        theirs, owed = self._concerned(session_id, fact, merged_into)
        newest = max((chairs[where][1][-1][2] for where in owed), default=None)
        for where in owed or theirs:
            who, gone = chairs[where]
            if newest is None:
                chairs[where] = (fact.to, (*gone, (who, fact.from_, seq)))
            elif gone[-1][2] == newest:
                chairs[where] = (gone[-1][0], gone[:-1])
        old = self.of[session_id]
        rounds = [
            played._replace(
                players=tuple(chairs[number, seat][0] for seat in range(len(played.players)))
            )
            for number, played in enumerate(old.rounds)
        ]
        self.of[session_id] = replace(old, rounds=tuple(rounds))
        return self.of[session_id]

    def is_owed(self, session_id: str, fact: SeatsReassigned, merged_into: dict[str, str]) -> bool:
        """Return whether a fact gives chairs back."""
        return bool(self._concerned(session_id, fact, merged_into)[1])

    def _concerned(
        self, session_id: str, fact: SeatsReassigned, merged_into: dict[str, str]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the chairs of a player, and those that the other one had to leave for them."""
        chairs = self._chairs[session_id]
        theirs = [
            where for where, (who, _) in chairs.items() if survivor(merged_into, who) == fact.from_
        ]
        owed = [
            where
            for where in theirs
            if chairs[where][1]
            and survivor(merged_into, chairs[where][1][-1][1]) == survivor(merged_into, fact.to)
        ]
        return theirs, owed

    def live(self) -> list[SessionSubmitted]:
        """Return the sessions that count, in the order of their places."""
        left_out = self.voided | self.corrected
        ids = [each for each in self.of if each not in left_out]
        return [self.of[each] for each in sorted(ids, key=self.place.__getitem__)]


def merges(facts: Facts) -> dict[str, str]:
    """Return who is merged into whom."""
    merged_into: dict[str, str] = {}
    for _, fact in facts:
        _follow(merged_into, fact)
    return merged_into


def _follow(merged_into: dict[str, str], fact: FactEvent) -> None:
    if isinstance(fact, PlayersMerged):
        merged_into[fact.player_id] = fact.into
    elif isinstance(fact, PlayersUnmerged):
        del merged_into[fact.player_id]


def survivor(merged_into: dict[str, str], player: str) -> str:
    """Return as whom a player is read."""
    while player in merged_into:
        player = merged_into[player]
    return player


def in_order(facts: Facts) -> list[tuple[int, FactEvent]]:
    """Return what moves ratings, by place: the sessions that count, and the verifications."""
    sessions = Sessions(facts)
    happened: list[tuple[int, FactEvent]] = [
        (seq, fact)
        for seq, fact in facts
        if isinstance(fact, PlayerVerified | PlayerVerificationEnded)
    ]
    happened += [(sessions.place[each.session_id], each) for each in sessions.live()]
    return sorted(happened, key=lambda placed: placed[0])


def adoptions(facts: Facts) -> list[tuple[int, str]]:
    """Return which formula holds from which place on.

    One that is adopted from the beginning wipes out whatever was adopted before it.
    """
    held: list[tuple[int, str]] = []
    for seq, fact in facts:
        if isinstance(fact, FormulaAdoptedFromBeginning):
            held = [(0, fact.formula)]
        elif isinstance(fact, FormulaAdopted):
            held.append((seq, fact.formula))
    return held


def formula_at(held: Sequence[tuple[int, str]], place: int) -> str:
    """Return the name of the formula that holds at a place."""
    return [formula for since, formula in held if since <= place][-1]


def in_order_of_appearance(facts: Facts) -> list[str]:
    """Return every player whom the facts name, the first one named first."""
    named: dict[str, None] = {BOB: None}
    for _, fact in facts:
        named |= dict.fromkeys(_named_by(fact))
    return list(named)


def _named_by(fact: FactEvent) -> list[str]:
    if isinstance(fact, SessionSubmitted):
        return seated(fact)
    if isinstance(fact, SessionCorrected):
        return seated(fact.session)
    if isinstance(fact, PlayersMerged):
        return [fact.player_id, fact.into]
    if isinstance(fact, SeatsReassigned):
        return [fact.from_, fact.to]
    if isinstance(fact, PlayerVerified | PlayerVerificationEnded):
        return [fact.player_id]
    return []


def seated(session: SessionSubmitted) -> list[str]:
    """Return whom the rounds of a session name, in their order."""
    return [player for played in session.rounds for player in played.players]
