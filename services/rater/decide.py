"""Decides what a fact about now means for the ratings: one fact in, one verdict out.

Pure: the state is only read, and takes the verdict in afterwards by `State.evolve`. Facts about the
past are correct.py's. Spec: docs/rating.md.
"""

from collections.abc import Callable, Iterator, Sequence

from services.rater.state import Standing, State
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.events.verdicts import FactNoted, FactRefused, RatedRound, SessionRated, VerdictEvent
from shared.ids import BOB
from shared.rating.formula import Seat
from shared.rating.formulas import Formula
from shared.replay.chronicle import FactAboutNow
from shared.replay.possible import ImpossibleFact


def decide(state: State, event: FactAboutNow) -> VerdictEvent:
    """Return the verdict on a fact.

    What cannot be (the door lets none of it in) is refused and moves nobody: a session whose
    numbers do not add up, or the verification of somebody who is not a known person. Raises
    UnknownFormula or FormulaDiffers when the log adopts a formula that this program does not have.
    """
    try:
        state.chronicle.check(event)
    except ImpossibleFact as error:
        return FactRefused(error.reason, error.session_id)
    if isinstance(event, SessionSubmitted):
        assert state.formula is not None, "The first record of every log adopts a formula."
        return rate_session(event, state.formula, state.standing, state.survivor)
    return FactNoted(event.TYPE, event.to_json())


def rate_session(
    session: SessionSubmitted,
    formula: Formula,
    standing: Callable[[str], Standing],
    survivor: Callable[[str], str],
) -> SessionRated:
    """Rate the rounds in the order given; the second sees the result of the first.

    `standing` tells how somebody stands before the session, and `survivor` as whom somebody plays.
    """
    standings: dict[str, Standing] = {}
    rounds = []
    for played in session.rounds:
        players = tuple(map(survivor, played.players))
        for player_id in players:
            if player_id not in standings:
                standings[player_id] = standing(player_id)
        rated = _rate_round(played, players, standings, formula, session.game_type != "social")
        for seat, player_id in enumerate(players):
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
    played: PlayedRound,
    players: tuple[str, ...],
    standings: dict[str, Standing],
    formula: Formula,
    points_count: bool,
) -> RatedRound:
    """Rate one round in both pools, everybody as they stood before it."""
    before = [standings[player_id] for player_id in players]
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
    is_bob = [player_id == BOB for player_id in players]
    games = played.games_played
    return RatedRound(
        games_played=games,
        wall_games=played.wall_games,
        players=players,
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
        played_as=None if players == played.players else played.players,
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
