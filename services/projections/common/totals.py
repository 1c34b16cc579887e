"""Adds up control totals straight from the verdicts, to check the rows of a rebuilt view."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from shared.errors import MahjicError
from shared.events.codec import Verdict
from shared.events.verdicts import RatingsCorrected, SessionRated
from shared.ids import BOB

# `sessions`, `rounds` and `seats` were rated as they came. Totals `in_all` include the sessions
# that replaced others. `attendances_in_all` counts a player once per session.
TOTALS: Final = (
    "sessions",
    "rounds",
    "seats",
    "sessions_in_all",
    "rounds_in_all",
    "games_in_all",
    "attendances_in_all",
    "sessions_that_count",
    "sessions_voided",
    "change_centi",
    "verified_change_centi",
    "player_games",
    "verified_player_games",
    "corrections",
    "wrong_rows",
)


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
            "This is a bug in the program: keep the database as it is, and report it.",
            extra={"view": view, "totals": wrong},
        )


class ControlTotals:
    """Sums over all verdicts of a stream, computed without any code of a view.

    It remembers only the sessions that are left out, so the stream may have any length.
    `wrong_rows` stays 0: there a view counts rows that contradict its own definition.
    """

    def __init__(self) -> None:
        self._sums = dict.fromkeys(TOTALS, 0)
        self._voided: set[str] = set()
        self._corrected: set[str] = set()

    def take_in(self, verdicts: Iterable[Verdict]) -> None:
        for verdict in verdicts:
            event = verdict.event
            if isinstance(event, SessionRated):
                self._take_in_rated(event)
            elif isinstance(event, RatingsCorrected):
                self._take_in_correction(event, is_first=verdict.answers.part == 1)

    def check(self, view: str, found: Mapping[str, int]) -> None:
        """Check the totals that a view attests against the stream's. Raises ControlTotalsDiffer."""
        sums = self._sums | {
            "sessions_voided": len(self._voided),
            "sessions_that_count": self._sums["sessions_in_all"]
            - len(self._voided)
            - len(self._corrected),
        }
        if any(sums[name] != value for name, value in found.items()):
            raise ControlTotalsDiffer(view, sums, found)

    def _take_in_rated(self, session: SessionRated) -> None:
        self._take_in_session(session)
        self._sums["sessions"] += 1
        self._sums["rounds"] += len(session.rounds)
        for rated in session.rounds:
            self._sums["seats"] += len(rated.players) - rated.players.count(BOB)
            self._take_in_changes(rated.rating_change, rated.verified_rating_change)
            self._take_in_games(rated.games_before, rated.games_after)
            self._take_in_verified_games(rated.verified_games_before, rated.verified_games_after)

    def _take_in_correction(self, event: RatingsCorrected, *, is_first: bool) -> None:
        self._take_in_changes(event.rating_change, event.verified_rating_change)
        self._take_in_games(event.games_before, event.games_after)
        self._take_in_verified_games(event.verified_games_before, event.verified_games_after)
        if not is_first:
            return
        self._sums["corrections"] += 1
        if event.session is not None:
            self._take_in_session(event.session)
        for moved in event.reseated or ():
            self._sums["attendances_in_all"] += len(moved.joined) - len(moved.left)
        self._voided.update(event.data.get("session_ids", ()))
        if "corrects" in event.data:
            self._voided.discard(event.data["corrects"])
            self._corrected.add(event.data["corrects"])

    def _take_in_session(self, session: SessionRated) -> None:
        tables = {each.played_as or each.players for each in session.rounds}
        self._sums["sessions_in_all"] += 1
        self._sums["rounds_in_all"] += len(session.rounds)
        self._sums["games_in_all"] += sum(each.games_played for each in session.rounds)
        self._sums["attendances_in_all"] += len({*chain.from_iterable(tables)} - {BOB})

    def _take_in_changes(self, rating: Sequence[int], verified: Sequence[int]) -> None:
        self._sums["change_centi"] += sum(rating)
        self._sums["verified_change_centi"] += sum(verified)

    def _take_in_games(self, before: Sequence[int], after: Sequence[int]) -> None:
        self._sums["player_games"] += sum(after) - sum(before)

    def _take_in_verified_games(self, before: Sequence[int], after: Sequence[int]) -> None:
        self._sums["verified_player_games"] += sum(after) - sum(before)
