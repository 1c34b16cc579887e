"""The answers about players who met: head to head, and two players side by side. Pure."""

from datetime import date

from typing_extensions import TypedDict

from services.projections.history.answers import SourceName
from services.projections.profiles.answers import Profile


class Met(TypedDict):
    """What two players did at the same table, from the point of view of one of them.

    `games` are all games of those rounds. `won` and `lost` are how many of them the player and the
    other one won; people who sat with them won the rest, or they were `wall_games`.
    """

    rounds: int
    games: int
    won: int
    lost: int
    wall_games: int


class MetPlayer(Met):
    """A public player, and what the two did at the same table."""

    player_id: str
    name: str


class HeadToHead(TypedDict):
    """The public players whom a player met most, in the player's rounds that count.

    `opponents` is null if they could not be counted in time. At most the newest `rounds_max` rounds
    are counted; `is_whole` says whether those are all.
    """

    player_id: str
    rounds_max: int
    is_whole: bool
    opponents: list[MetPlayer] | None


class ExpectedScore(TypedDict):
    """What the formula in force expects of a game between two players today, in one pool.

    The scores are exact: the billionths of both add up to 1,000,000,000.
    """

    one: float
    other: float
    one_nano: int
    other_nano: int


class RoundTogether(TypedDict):
    """A round that two players sat in, and that counts.

    The ids of the changes lead to the full reason. They and the changes are null for a round of a
    session that replaced another, and for one that the player played as part of somebody else: what
    it did to the rating is in the correction. A change in the verified pool is also null if the
    round did not count there for that player.
    """

    session_id: str
    source: SourceName
    session_date: date
    game_type: str
    round_number: int
    games: int
    won: int
    lost: int
    wall_games: int
    change_id: str | None
    other_change_id: str | None
    rating_change: float | None
    other_rating_change: float | None
    verified_rating_change: float | None
    other_verified_rating_change: float | None


class Together(TypedDict):
    """The rounds of two players together that count: the record of all, and a page, newest first.

    At most the newest `rounds_max` are counted; `is_whole` says whether those are all.
    `older_cursor` is for the page below, and null on the last one. `newer_cursor` is for the page
    above; it is null if that is the first page, or if this is (`is_newest`).
    """

    record: Met
    rounds_max: int
    is_whole: bool
    rounds: list[RoundTogether]
    is_newest: bool
    newer_cursor: str | None
    older_cursor: str | None


class SideBySide(TypedDict):
    """Two players side by side. What is said of `won`, `lost` and `change` is the first one's.

    `expected_verified` is null unless both are Verified. `together` is null if it could not be
    counted in time.
    """

    player: Profile
    other: Profile
    formula: str
    expected: ExpectedScore
    expected_verified: ExpectedScore | None
    together: Together | None
