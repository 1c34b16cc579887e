"""A second rater, as simple as can be: plain dicts and fractions, and no code of the first.

It follows docs/rating.md over two dicts per pool. One round of one pool is worked out by
tests/rating/by_definition.py.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tests.rating.by_definition import Person, change


class Pool:
    """The ratings of one pool, and how many games everybody has in it."""

    def __init__(self) -> None:
        self.rating: dict[str, Fraction] = {}
        self.games: dict[str, int] = {}

    def standing(self, player: str) -> tuple[Fraction, int]:
        return self.rating.get(player, Fraction(1500)), self.games.get(player, 0)

    def play(
        self, mahjongs: Mapping[str, int], games: int, points: Mapping[str, Fraction] | None
    ) -> dict[str, Fraction]:
        """Move everybody at the table, and return by how much."""
        table = [
            Person(*self.standing(player), won, points[player] if points else Fraction(0))
            for player, won in mahjongs.items()
        ]
        moved = {
            player: change(table, place, points_count=points is not None)
            for place, player in enumerate(mahjongs)
        }
        moved["BOB"] = Fraction(0)
        for player in mahjongs:
            if player != "BOB":
                self.rating[player] = self.standing(player)[0] + moved[player]
                self.games[player] = self.standing(player)[1] + games
        return moved


class RaterByHand:
    """Both pools, and who is verified."""

    def __init__(self) -> None:
        self.everybody = Pool()
        self.verified_pool = Pool()
        self.verified: set[str] = set()

    def play(
        self, mahjongs: Mapping[str, int], games: int, points: Sequence[Fraction] | None
    ) -> list[tuple[object, ...]]:
        """Return for each seat: before, change and games after in both pools."""
        by_player = None if points is None else dict(zip(mahjongs, points, strict=True))
        before = {p: (self.everybody.standing(p), self.verified_pool.standing(p)) for p in mahjongs}
        moved = self.everybody.play(mahjongs, games, by_player)
        among = {player: won for player, won in mahjongs.items() if player in self.verified}
        moved_verified: dict[str, Fraction] = {}
        if len(among) >= 2:
            moved_verified = self.verified_pool.play(among, games, by_player)
        return [
            (
                before[player][0][0],
                moved[player],
                self.everybody.standing(player)[1],
                before[player][1][0],
                moved_verified.get(player, Fraction(0)),
                self.verified_pool.standing(player)[1],
            )
            for player in mahjongs
        ]
