"""The two ratings of each player over many rounds: everyone's, and that of Verified players."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mahjic_client.formula import MAHJIC_ELO_1, START_CENTI, GameType, Seat, rate

BOB: Final = "BOB"
VERIFIED_MIN: Final = 2


class Result(NamedTuple):
    """What one player did in a round. `player` is any name of yours, or `BOB` for an empty seat."""

    player: str
    mahjongs: int
    points_centi: int = 0


class Standing(NamedTuple):
    """A rating and the games it stands on."""

    rating_centi: int = START_CENTI
    games: int = 0


class Moved(NamedTuple):
    """One of a player's two ratings before and after a round."""

    before: Standing
    after: Standing

    @property
    def change_centi(self) -> int:
        """What the round added, or took if negative."""
        return self.after.rating_centi - self.before.rating_centi


class Rated(NamedTuple):
    """What a round did to one player in both pools."""

    player: str
    mahjic: Moved
    verified: Moved


class Ratings:
    """Everyone's ratings, to which rounds are added in the order in which Mahjic recorded them."""

    def __init__(self, formula: str = MAHJIC_ELO_1) -> None:
        self._formula = formula
        self._mahjic: dict[str, Standing] = {}
        self._verified: dict[str, Standing] = {}
        self._verified_now: set[str] = set()

    def mahjic(self, player: str) -> Standing:
        """Return a player's rating among everyone."""
        return self._mahjic.get(player, Standing())

    def verified(self, player: str) -> Standing:
        """Return a player's rating among Verified players."""
        return self._verified.get(player, Standing())

    def verify(self, player: str) -> None:
        """Count a player as Verified from now on. Raises ValueError for Bob."""
        if player == BOB:
            raise ValueError("Bob is imaginary, and never Verified.")
        self._verified_now.add(player)

    def end_verification(self, player: str) -> None:
        """Count a player as not Verified from now on; the verified rating stays as it is."""
        self._verified_now.discard(player)

    def play(
        self, results: Sequence[Result], *, game_type: GameType, games_played: int
    ) -> tuple[Rated, ...]:
        """Rate a round, and return what it did to each player, in the order given.

        Raises ValueError if someone sits twice, and as `rate` does; nothing has changed then.
        """
        if len({each.player for each in results}) < len(results):
            raise ValueError("Somebody sits at this table twice. Give each player once.")
        among = [each for each in results if each.player in self._verified_now]
        of_all = self._moves(self._mahjic, results, game_type, games_played)
        of_verified = (
            self._moves(self._verified, among, game_type, games_played)
            if len(among) >= VERIFIED_MIN
            else {}
        )
        rated = []
        for player, *_ in results:
            as_it_was = Moved(self.verified(player), self.verified(player))
            rated.append(Rated(player, of_all[player], of_verified.get(player, as_it_was)))
        self._mahjic.update((each.player, each.mahjic.after) for each in rated)
        self._verified.update((each.player, each.verified.after) for each in rated)
        return tuple(rated)

    def _moves(
        self,
        pool: dict[str, Standing],
        results: Sequence[Result],
        game_type: GameType,
        games_played: int,
    ) -> dict[str, Moved]:
        """Return how a round moves its players in one pool. Bob counts, and never moves."""
        before = {each.player: pool.get(each.player, Standing()) for each in results}
        seats = [Seat(*before[player], mahjongs, points) for player, mahjongs, points in results]
        changes = rate(seats, game_type, formula=self._formula)
        moves = {}
        for (player, standing), change_centi in zip(before.items(), changes, strict=True):
            after = Standing(standing.rating_centi + change_centi, standing.games + games_played)
            moves[player] = Moved(standing, standing if player == BOB else after)
        return moves
