"""What a history is made of: rounds, corrections, and the rounds that they changed. Pure."""

from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

from services.projections.history.corrected import Cause, EndingCause
from shared.events.verdicts import RatedRound


@dataclass(frozen=True, slots=True)
class ChangePlace:
    """A change's place on the log. Several ids of one player can have changes in one round.

    The round of a correction is 0.
    """

    fact_seq: int
    round_no: int
    player_id: str

    @property
    def change_id(self) -> str:
        """The permanent id of the change: player, fact and, except for corrections, round."""
        round_no = f".{self.round_no}" if self.round_no else ""
        return f"{self.player_id}.{self.fact_seq}{round_no}"


# Every place is before it.
END_PLACE: Final = ChangePlace((1 << 62) - 1, 0, "")


@dataclass(frozen=True, slots=True)
class Ending:
    """A fact that left out a session. `replaced_by` is the session in its place, if any."""

    fact_seq: int
    cause: EndingCause
    reason: str | None
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class Pool:
    """What a change did in one pool. Ratings in centi."""

    rating_before: int
    rating_change: int
    games_before: int
    games_after: int


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """One player's round, as rated and published, and what has happened to its session since."""

    place: ChangePlace
    session_id: str
    source: str
    source_name: str
    session_date: date
    game_type: str
    formula: str
    rated: RatedRound
    seat: int
    endings: tuple[Ending, ...]
    superseded_by: str | None

    @property
    def is_voided(self) -> bool:
        """Whether the session is left out and has no replacement."""
        return bool(self.endings) and self.superseded_by is None

    @property
    def mahjic(self) -> Pool:
        """What the round did in the mahjic pool."""
        rated, seat = self.rated, self.seat
        return Pool(
            rated.rating_before[seat],
            rated.rating_change[seat],
            rated.games_before[seat],
            rated.games_after[seat],
        )

    @property
    def verified(self) -> Pool:
        """What the round did in the verified pool."""
        rated, seat = self.rated, self.seat
        return Pool(
            rated.verified_rating_before[seat],
            rated.verified_rating_change[seat],
            rated.verified_games_before[seat],
            rated.verified_games_after[seat],
        )


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """What a fact about the past did to one player.

    `sessions` are the first of the `sessions_count` that it left out. `players` are who was merged
    or unmerged, and into whom. `on_date` is the day of the fact, in UTC.
    """

    place: ChangePlace
    on_date: date
    cause: Cause
    reason: str | None
    sessions: tuple[str, ...]
    sessions_count: int
    replaced_by: str | None
    players: tuple[str, ...]
    formula: str | None
    moved: int
    mahjic: Pool
    verified: Pool


HistoryEntry: TypeAlias = RoundEntry | CorrectionEntry


@dataclass(frozen=True, slots=True)
class ToldSession:
    """A session that was played, with its fact."""

    session_id: str
    source: str
    source_name: str
    session_date: date
    game_type: str


@dataclass(frozen=True, slots=True)
class ReplayedNumbers:
    """What a round did to a player in one version of the history."""

    mahjic: Pool
    verified: Pool


@dataclass(frozen=True, slots=True)
class ReplayedRound:
    """A round, by its session's fact, and its numbers before and after a correction.

    They are None where it was not one of the player's rounds.
    """

    fact_seq: int
    round_no: int
    before: ReplayedNumbers | None
    after: ReplayedNumbers | None
