"""What the charts must show, kept by flags on plain lists: no point is ever taken away."""

from collections import defaultdict
from dataclasses import dataclass, field

from shared.events.codec import Verdict
from shared.events.verdicts import RatingsCorrected, SessionRated


@dataclass
class Point:
    """Where a session or a correction left a player."""

    fact_seq: int
    rating: int
    verified_rating: int
    session: str | None = None
    has_games: bool = True
    has_verified_moved: bool = False
    is_untrue: bool = False


@dataclass
class Charts:
    """The charts of all players, after the verdicts that were taken in one by one."""

    points: dict[str, list[Point]] = field(default_factory=lambda: defaultdict(list))
    ended: dict[str, str] = field(default_factory=dict)
    _place: dict[str, int] = field(default_factory=dict)
    _since: dict[str, int] = field(default_factory=dict)
    _merged_since: dict[str, int] = field(default_factory=dict)
    _from: int = 0

    def best(self, player: str) -> tuple[int, int] | None:
        """Return the rating and the fact of the highest point that counts, the first of equals."""
        count = [each for each in self.points[player] if each.has_games and not each.is_untrue]
        if not count:
            return None
        best = max(count, key=lambda each: (each.rating, -each.fact_seq))
        return best.rating, best.fact_seq

    def take_in(self, verdict: Verdict) -> None:
        event, fact_seq = verdict.event, verdict.answers.fact_seq
        if isinstance(event, SessionRated):
            self._play(event, fact_seq)
        elif isinstance(event, RatingsCorrected):
            if verdict.answers.part == 1:
                self._from = self._first_place(event, fact_seq)
            self._correct(event, fact_seq)

    def _play(self, session: SessionRated, fact_seq: int) -> None:
        self._place[session.session_id] = fact_seq
        here: dict[str, Point] = {}
        for rated in session.rounds:
            for seat, player in enumerate(rated.players):
                if player == "BOB":
                    continue
                last = here.get(player) or self._last(player)
                moved = rated.verified_rating_change[seat]
                here[player] = Point(
                    fact_seq,
                    last.rating + rated.rating_change[seat],
                    last.verified_rating + moved,
                    session=session.session_id,
                    has_verified_moved=moved != 0 or (player in here and last.has_verified_moved),
                )
        for player, point in here.items():
            self.points[player].append(point)
            self._since.setdefault(player, fact_seq)

    def _last(self, player: str) -> Point:
        return self.points[player][-1] if self.points[player] else Point(0, 150_000, 150_000)

    def _first_place(self, event: RatingsCorrected, fact_seq: int) -> int:
        about = event.data
        if event.fact_type == "sessions-voided.v1":
            new = [each for each in about["session_ids"] if each not in self.ended]
            self.ended |= dict.fromkeys(new, "void")
            return min((self._place[each] for each in new), default=fact_seq)
        if event.fact_type == "session-corrected.v1":
            assert event.session is not None
            self.ended[about["corrects"]] = "correction"
            self._place[event.session.session_id] = self._place[about["corrects"]]
            return self._place[about["corrects"]]
        if event.fact_type == "seats-reassigned.v1":
            return min(self._place[each] for each in about["sessions"])
        if event.fact_type == "players-merged.v1":
            since = self._since.get(about["player_id"], fact_seq)
            self._merged_since[about["player_id"]] = since
            return since
        if event.fact_type == "players-unmerged.v1":
            return self._merged_since[about["player_id"]]
        return 0

    def _correct(self, event: RatingsCorrected, fact_seq: int) -> None:
        for number, player in enumerate(event.players):
            moved = event.rating_change[number], event.verified_rating_change[number]
            before, after = event.games_before[number], event.games_after[number]
            last = self._last(player)
            if moved[0] or before != after:
                for point in self.points[player]:
                    point.is_untrue |= point.fact_seq >= self._from
            self.points[player].append(
                Point(
                    fact_seq,
                    last.rating + moved[0],
                    last.verified_rating + moved[1],
                    has_games=after > 0,
                    has_verified_moved=moved[1] != 0,
                )
            )
            if after > before:
                self._since[player] = min(self._since.get(player, fact_seq), self._from)
