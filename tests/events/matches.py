"""Rated rounds of which a test says only what it is about."""

from shared.events.verdicts import RatedRound

Pair = tuple[int, int]


def a_first_match(players: tuple[str, str], *, mahjongs: Pair, change: Pair) -> RatedRound:
    """Return a social round of one game in which two people who are not verified begin at 1500."""
    return RatedRound(
        games_played=1,
        wall_games=0,
        players=players,
        mahjongs=mahjongs,
        points_centi=None,
        rating_before=(150000, 150000),
        rating_change=change,
        games_before=(0, 0),
        games_after=(1, 1),
        is_verified=(0, 0),
        verified_rating_before=(150000, 150000),
        verified_rating_change=(0, 0),
        verified_games_before=(0, 0),
        verified_games_after=(0, 0),
    )
