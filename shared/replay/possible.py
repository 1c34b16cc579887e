"""Which rounds can have been played at all; the door lets in no others."""

from typing import Final

from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import BOB

POINTS_CENTI_MAX: Final = 100_000_000
GAMES_PLAYED_MAX: Final = 200


class ImpossibleFact(Exception):
    """A fact that cannot be, as of the facts before it: it moves nobody.

    `reason` is a code; `session_id` is the session it was about, if it was about one.
    """

    def __init__(self, reason: str, session_id: str | None) -> None:
        super().__init__(reason, session_id)
        self.reason = reason
        self.session_id = session_id


def adds_up(session: SessionSubmitted) -> bool:
    """Tell whether the numbers of all rounds add up and fit what the formula is proved for."""
    points_count = session.game_type != "social"
    return bool(session.rounds) and all(_adds_up(played, points_count) for played in session.rounds)


def is_nobody(player_id: str) -> bool:
    """Tell whether an id is Bob's or an anonymous player's, who are never verified or merged."""
    return player_id == BOB or player_id.startswith("AN-")


def _adds_up(played: PlayedRound, points_count: bool) -> bool:
    players, mahjongs, points = played.players, played.mahjongs, played.points_centi
    seats = len(players)
    if points is None:
        are_points_right = not points_count
    else:
        are_points_right = not points or (
            max(points) <= POINTS_CENTI_MAX and min(points) >= -POINTS_CENTI_MAX
        )
    return (
        are_points_right
        and 2 <= seats <= 4
        and len(set(players)) == seats
        and (seats > 2 or BOB not in players)
        and 1 <= played.games_played <= GAMES_PLAYED_MAX
        and played.wall_games >= 0
        and min(mahjongs) >= 0
        and sum(mahjongs) + played.wall_games == played.games_played
    )
