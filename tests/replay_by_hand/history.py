"""What happened, as of some fact: which sessions count, in which order, and who is who.

Every question is answered from the list of all facts so far, read from its beginning.
"""

from collections.abc import Sequence

from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)

Facts = Sequence[tuple[int, FactEvent]]
BOB = "BOB"


class Sessions:
    """Every session that was ever taken in: its place, and what became of it."""

    def __init__(self, facts: Facts) -> None:
        self.of: dict[str, SessionSubmitted] = {}
        self.place: dict[str, int] = {}
        self.voided: set[str] = set()
        self.corrected: set[str] = set()
        for seq, fact in facts:
            if isinstance(fact, SessionSubmitted):
                self._take_in(fact, seq)
            elif isinstance(fact, SessionCorrected):
                self._take_in(fact.session, self.place[fact.corrects])
                self.corrected.add(fact.corrects)
            elif isinstance(fact, SessionsVoided):
                self.voided |= set(fact.session_ids)

    def _take_in(self, session: SessionSubmitted, place: int) -> None:
        self.of[session.session_id] = session
        self.place[session.session_id] = place

    def live(self) -> list[SessionSubmitted]:
        """Return the sessions that count, in the order of their places."""
        left_out = self.voided | self.corrected
        ids = [each for each in self.of if each not in left_out]
        return [self.of[each] for each in sorted(ids, key=self.place.__getitem__)]


def merges(facts: Facts) -> dict[str, str]:
    """Return who is merged into whom."""
    merged_into: dict[str, str] = {}
    for _, fact in facts:
        if isinstance(fact, PlayersMerged):
            merged_into[fact.player_id] = fact.into
        elif isinstance(fact, PlayersUnmerged):
            del merged_into[fact.player_id]
    return merged_into


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
    if isinstance(fact, PlayerVerified | PlayerVerificationEnded):
        return [fact.player_id]
    return []


def seated(session: SessionSubmitted) -> list[str]:
    """Return whom the rounds of a session name, in their order."""
    return [player for played in session.rounds for player in played.players]
