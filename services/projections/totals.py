"""Adds up control totals straight from the verdicts, to hold the rows of a rebuilt view against."""

from collections.abc import Mapping, Sequence

from services.projections.tables import rated_sessions, seated_players
from shared.errors import MahjicError
from shared.events.verdicts import SessionRated
from shared.feed import Entry


class ControlTotalsDiffer(MahjicError):
    """The rows of a view do not add up to what the verdicts say."""

    code = "control_totals_differ"
    title = "The rows of a view do not add up to the verdicts"

    def __init__(self, view: str, expected: Mapping[str, int], found: Mapping[str, int]) -> None:
        wrong = {name: {"verdicts": expected[name], "rows": found[name]} for name in found}
        wrong = {name: both for name, both in wrong.items() if both["verdicts"] != both["rows"]}
        named = ", ".join(
            f"{name} {both['verdicts']} in the verdicts and {both['rows']} in the rows"
            for name, both in wrong.items()
        )
        super().__init__(
            f"The rebuilt view {view} has {named}. It was thrown away, and the old one stays. "
            "This is a fault of the program: keep the database as it is, and report it.",
            extra={"view": view, "totals": wrong},
        )


class ControlTotals:
    """Sums over all verdicts of a stream, computed without any code of a view."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(
            (
                "sessions",
                "rounds",
                "games",
                "seats",
                "players_in_sessions",
                "change_centi",
                "verified_change_centi",
            ),
            0,
        )

    def take_in(self, entries: Sequence[Entry]) -> None:
        """Add what a batch holds."""
        for _, session in rated_sessions(entries):
            self._take_in_session(session)

    def check(self, view: str, found: Mapping[str, int]) -> None:
        """Hold the totals that a view attests against the stream's. Raises ControlTotalsDiffer."""
        if any(self._sums[name] != value for name, value in found.items()):
            raise ControlTotalsDiffer(view, self._sums, found)

    def _take_in_session(self, session: SessionRated) -> None:
        players = set()
        for rated in session.rounds:
            self._sums["rounds"] += 1
            self._sums["games"] += rated.games_played
            for seat, player_id in seated_players(rated):
                players.add(player_id)
                self._sums["seats"] += 1
                self._sums["change_centi"] += rated.rating_change[seat]
                self._sums["verified_change_centi"] += rated.verified_rating_change[seat]
        self._sums["sessions"] += 1
        self._sums["players_in_sessions"] += len(players)
