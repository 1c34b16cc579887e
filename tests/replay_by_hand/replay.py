"""Everybody's ratings after each fact, and every number of each verdict, by full replays.

The law: the ratings after a fact are those that a replay of the history gives as that fact leaves
it. What a correction shows of a player is the rating after it less the rating before it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from tests.replay_by_hand.formulas import Seat, changes_centi
from tests.replay_by_hand.history import (
    BOB,
    Facts,
    Sessions,
    adoptions,
    formula_at,
    in_order,
    in_order_of_appearance,
    merges,
    seated,
    survivor,
)
from tests.replay_by_hand.refusals import why_not


class Standing(NamedTuple):
    """One player in both pools. Ratings in hundredths."""

    rating_centi: int = 150_000
    games: int = 0
    verified_rating_centi: int = 150_000
    verified_games: int = 0


class SeatRated(NamedTuple):
    """What a round did to one seat. Ratings in hundredths."""

    player: str
    before: Standing
    after: Standing
    is_verified: bool


RoundRated = tuple[SeatRated, ...]


class Moved(NamedTuple):
    """What a correction did to one player."""

    player: str
    before: Standing
    after: Standing


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be said of one fact, and how everybody stands after it.

    `rounds` are those of a session as rated in its place; `moved` is None where nothing of the past
    was touched. `reseated` has who sat where before and after, for each session named.
    """

    seq: int
    formula: str
    refused: str | None
    rounds: tuple[RoundRated, ...]
    moved: tuple[Moved, ...] | None
    standings: dict[str, Standing]
    reseated: tuple[tuple[SessionSubmitted, SessionSubmitted], ...] = ()


def replay(facts: Iterable[tuple[int, FactEvent]]) -> list[Answer]:
    """Return the answer to each fact, in order."""
    counted: list[tuple[int, FactEvent]] = []
    before: dict[str, Standing] = {}
    answers: list[Answer] = []
    for seq, fact in facts:
        answers.append(_answer(counted, seq, fact, before))
        if answers[-1].refused is None:
            counted.append((seq, fact))
        before = answers[-1].standings
    return answers


def last_answer(facts: Facts) -> Answer:
    """Return the answer to the last of many facts, none of which is refused before it."""
    before, _ = played_through(facts[:-1])
    return _answer(facts[:-1], *facts[-1], before)


def _answer(counted: Facts, seq: int, fact: FactEvent, before: dict[str, Standing]) -> Answer:
    """Return the answer to a fact that follows those that count."""
    refused = why_not(counted, fact)
    if refused is not None:
        formula = formula_at(adoptions(counted), seq)
        return Answer(seq, formula, refused, (), None, before)
    facts = [*counted, (seq, fact)]
    standings, rounds = played_through(facts)
    return Answer(
        seq=seq,
        formula=formula_at(adoptions(facts), seq),
        refused=None,
        rounds=rounds.get(_session_of(fact), ()),
        moved=_moved(facts, before, standings),
        standings=standings,
        reseated=_reseated(facts),
    )


def played_through(facts: Facts) -> tuple[dict[str, Standing], dict[str, tuple[RoundRated, ...]]]:
    """Play the whole history as these facts leave it.

    Returns everybody's standing at the end, and the rounds of each session that counts as rated.
    """
    merged_into, formulas = merges(facts), adoptions(facts)
    standings = dict.fromkeys(in_order_of_appearance(facts), Standing())
    flagged: set[str] = set()
    rated: dict[str, tuple[RoundRated, ...]] = {}
    for place, happened in in_order(facts):
        if isinstance(happened, PlayerVerified):
            flagged.add(happened.player_id)
        elif isinstance(happened, PlayerVerificationEnded):
            flagged.discard(happened.player_id)
        elif isinstance(happened, SessionSubmitted):
            verified = {survivor(merged_into, each) for each in flagged}
            formula = formula_at(formulas, place)
            rounds: list[RoundRated] = []
            for played in happened.rounds:
                table = [survivor(merged_into, each) for each in played.players]
                points = None if happened.game_type == "social" else played.points_centi
                before = [standings[each] for each in table]
                is_verified = [each in verified for each in table]
                after = _play(formula, played, points, before, is_verified)
                rounds.append(tuple(map(SeatRated, table, before, after, is_verified)))
                standings |= {seat.player: seat.after for seat in rounds[-1]}
            rated[happened.session_id] = tuple(rounds)
    return standings, rated


def _play(
    formula: str,
    played: PlayedRound,
    points: Sequence[int] | None,
    before: Sequence[Standing],
    is_verified: Sequence[bool],
) -> list[Standing]:
    """Return how everybody at a table stands after a round, given how they stood before it."""
    everybody = range(len(before))
    among = [each for each in everybody if is_verified[each]]
    if len(among) < 2:
        among = []

    def moves(pool: Sequence[int], ratings: Sequence[int], games: Sequence[int]) -> dict[int, int]:
        table = tuple(
            Seat(ratings[each], games[each], played.mahjongs[each], points[each] if points else 0)
            for each in pool
        )
        return dict(zip(pool, changes_centi(formula, table, points is not None), strict=True))

    rating, played_before, verified_rating, verified_before = zip(*before, strict=True)
    moved = moves(everybody, rating, played_before)
    moved_among = moves(among, verified_rating, verified_before)
    return [
        Standing()
        if played.players[each] == BOB
        else Standing(
            rating[each] + moved[each],
            played_before[each] + played.games_played,
            verified_rating[each] + moved_among.get(each, 0),
            verified_before[each] + (played.games_played if each in among else 0),
        )
        for each in everybody
    ]


def _session_of(fact: FactEvent) -> str:
    if isinstance(fact, SessionSubmitted):
        return fact.session_id
    return fact.session.session_id if isinstance(fact, SessionCorrected) else ""


def _moved(
    facts: Facts, before: dict[str, Standing], after: dict[str, Standing]
) -> tuple[Moved, ...] | None:
    """Return whom the last fact moved, if it is about the past, in the order that is shown."""
    _, fact = facts[-1]
    if isinstance(fact, SessionSubmitted | PlayerVerified | PlayerVerificationEnded):
        return None
    if isinstance(fact, FormulaAdopted):
        return None
    concerned = _concerned(facts, fact)
    concerned = {
        survivor(merged_into, each)
        for merged_into in (merges(facts[:-1]), merges(facts))
        for each in concerned
    }
    place = {player: place for place, player in enumerate(in_order_of_appearance(facts))}

    def order(moved: Moved) -> tuple[bool, int, int, int]:
        return (
            moved.player not in concerned,
            -abs(moved.after.rating_centi - moved.before.rating_centi),
            -abs(moved.after.verified_rating_centi - moved.before.verified_rating_centi),
            place[moved.player],
        )

    everybody = [Moved(each, before.get(each, Standing()), after[each]) for each in after]
    return tuple(sorted((each for each in everybody if each.before != each.after), key=order))


def _concerned(facts: Facts, fact: FactEvent) -> set[str]:
    """Return the players whom a fact about the past speaks of."""
    sessions = Sessions(facts)
    if isinstance(fact, SessionsVoided):
        return {player for each in fact.session_ids for player in seated(sessions.of[each])}
    if isinstance(fact, SessionCorrected):
        return {*seated(sessions.of[fact.corrects]), *seated(fact.session)}
    if isinstance(fact, PlayersMerged):
        return {fact.player_id, fact.into}
    if isinstance(fact, PlayersUnmerged):
        return {fact.player_id, fact.merged_into}
    if isinstance(fact, SeatsReassigned):
        return {
            player
            for before, after in _reseated(facts)
            for was, now in zip(seated(before), seated(after), strict=True)
            if was != now
            for player in (was, now)
        }
    return set()


def _reseated(facts: Facts) -> tuple[tuple[SessionSubmitted, SessionSubmitted], ...]:
    """Return the sessions whose seats the last fact reassigned, before and after."""
    _, fact = facts[-1]
    if not isinstance(fact, SeatsReassigned):
        return ()
    before, after = Sessions(facts[:-1]), Sessions(facts)
    return tuple((before.of[each], after.of[each]) for each in dict.fromkeys(fact.sessions))
