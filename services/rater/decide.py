"""Decides what a fact means for the ratings: one fact in, one verdict out. Spec: docs/rating.md.

Pure: the state is only read, and takes the verdict in afterwards by `State.evolve`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from services.rater.state import Standing, State
from shared.errors import MahjicError
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayedRound,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.events.verdicts import FactNoted, FactRefused, RatedRound, SessionRated, VerdictEvent
from shared.ids import BOB
from shared.rating.formula import Seat
from shared.rating.formulas import Formula, formula_named

POINTS_CENTI_MAX: Final = 100_000_000


class FormulaDiffers(MahjicError):
    """The log adopts a formula whose parameters are others than this program knows by its name."""

    code = "formula_differs"
    title = "The log and this program mean different formulas by one name"


def decide(state: State, event: FactEvent) -> VerdictEvent:
    """Return the verdict on a fact.

    What cannot be (the door lets none of it in) is refused and moves nobody: a session whose
    numbers do not add up, or the verification of somebody who is not a known person. Raises
    UnknownFormula or FormulaDiffers when the log adopts a formula that this program does not have.
    """
    if isinstance(event, SessionSubmitted):
        points_count = event.game_type != "social"
        if not event.rounds or not all(_can_be(each, points_count) for each in event.rounds):
            return FactRefused("impossible_round", event.session_id)
        return _rate_session(state, event)
    if isinstance(event, PlayerVerified | PlayerVerificationEnded) and _is_nobody(event.player_id):
        return FactRefused("impossible_verification", None)
    if isinstance(event, FormulaAdopted):
        _check_known(event)
    return FactNoted(event.TYPE, event.to_json())


def _check_known(event: FormulaAdopted) -> None:
    known = formula_named(event.formula)
    if dict(event.parameters) != known.parameters:
        raise FormulaDiffers(
            f"The log adopts {known.name} with other parameters than this program has. Run the "
            "version of Mahjic that wrote the log; a formula never changes under its name.",
            extra={"on_the_log": dict(event.parameters), "known": known.parameters},
        )


def _rate_session(state: State, session: SessionSubmitted) -> SessionRated:
    """Rate the rounds in the order given; the second sees the result of the first."""
    assert state.formula is not None, "The first record of every log adopts a formula."
    standings: dict[str, Standing] = {}
    rounds = []
    for played in session.rounds:
        for player_id in played.players:
            if player_id not in standings:
                standings[player_id] = state.standing(player_id)
        rated = _rate_round(played, standings, state.formula, session.game_type != "social")
        for seat, player_id in enumerate(played.players):
            standings[player_id] = _after(rated, seat, standings[player_id])
        rounds.append(rated)
    return SessionRated(
        session_id=session.session_id,
        source=session.source,
        session_date=session.session_date,
        game_type=session.game_type,
        rounds=tuple(rounds),
        new_players=session.new_players,
    )


def _rate_round(
    played: PlayedRound, standings: dict[str, Standing], formula: Formula, points_count: bool
) -> RatedRound:
    """Rate one round in both pools, everybody as they stood before it."""
    before = [standings[player_id] for player_id in played.players]
    points = played.points_centi if points_count else None
    everybody = [
        Seat(each.rating_centi, each.games, mahjongs, points_centi)
        for each, mahjongs, points_centi in _seated(before, played, points)
    ]
    verified = [
        Seat(each.verified_rating_centi, each.verified_games, mahjongs, points_centi)
        for each, mahjongs, points_centi in _seated(before, played, points)
        if each.is_verified
    ]
    is_in_pool = [each.is_verified and len(verified) >= 2 for each in before]
    changes = formula.rate_round(everybody, points_count=points is not None)
    moved = iter(
        formula.rate_round(verified, points_count=points is not None) if any(is_in_pool) else ()
    )
    is_bob = [player_id == BOB for player_id in played.players]
    games = played.games_played
    return RatedRound(
        games_played=games,
        wall_games=played.wall_games,
        players=played.players,
        mahjongs=played.mahjongs,
        points_centi=points,
        rating_before=tuple(each.rating_centi for each in before),
        rating_change=tuple(
            0 if bob else change for bob, change in zip(is_bob, changes, strict=True)
        ),
        games_before=tuple(each.games for each in before),
        games_after=tuple(
            each.games + (0 if bob else games) for bob, each in zip(is_bob, before, strict=True)
        ),
        is_verified=tuple(int(each.is_verified) for each in before),
        verified_rating_before=tuple(each.verified_rating_centi for each in before),
        verified_rating_change=tuple(next(moved) if counts else 0 for counts in is_in_pool),
        verified_games_before=tuple(each.verified_games for each in before),
        verified_games_after=tuple(
            each.verified_games + (games if counts else 0)
            for counts, each in zip(is_in_pool, before, strict=True)
        ),
    )


def _seated(
    before: Sequence[Standing], played: PlayedRound, points: tuple[int, ...] | None
) -> Iterator[tuple[Standing, int, int]]:
    """Yield each seat's standing, mahjongs and points (0 where points do not count)."""
    return zip(before, played.mahjongs, points or (0,) * len(before), strict=True)


def _after(rated: RatedRound, seat: int, before: Standing) -> Standing:
    return Standing(
        rated.rating_before[seat] + rated.rating_change[seat],
        rated.games_after[seat],
        rated.verified_rating_before[seat] + rated.verified_rating_change[seat],
        rated.verified_games_after[seat],
        is_verified=before.is_verified,
    )


def _is_nobody(player_id: str) -> bool:
    """Tell whether an id is Bob's or an anonymous player's, who never are in the verified pool."""
    return player_id == BOB or player_id.startswith("AN-")


def _can_be(played: PlayedRound, points_count: bool) -> bool:
    """Tell whether the numbers of a round add up and fit what the formula is proved for."""
    people = set(played.players)
    points = played.points_centi or ()
    return (
        2 <= len(played.players) <= 4
        and (played.points_centi is not None or not points_count)
        and len(people) == len(played.players)
        and len(people - {BOB}) >= 2
        and 1 <= played.games_played <= 200
        and played.wall_games >= 0
        and min(played.mahjongs) >= 0
        and sum(played.mahjongs) + played.wall_games == played.games_played
        and all(abs(each) <= POINTS_CENTI_MAX for each in points)
    )
