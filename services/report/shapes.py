"""The shape of a report, as it is written in JSON. Pure.

Every count that is not told is null. Ratios are in millionths, ratings in hundredths, sums of money
in hundredths too.
"""

from typing import Literal, TypedDict


class VolumeTold(TypedDict):
    """How much was played in cells of a list, or in all of it."""

    names: list[str]
    sessions: int
    rounds: int
    games: int


class VolumesTold(TypedDict):
    """What was played, by a list of cells; those that are not told each are told together."""

    each: list[VolumeTold]
    together: VolumeTold | None
    untold: list[str]


class CountTold(TypedDict):
    """One count, of one cell or of several together."""

    names: list[str]
    count: int


class CountsTold(TypedDict):
    """Counts by a list of cells; `total` is of all of them."""

    total: int | None
    each: list[CountTold]
    together: CountTold | None
    untold: list[str]


class PlayersTold(TypedDict):
    """Who is rated at the end, by tier; how many of them played in the year, and came in it."""

    by_tier: CountsTold
    played_in_year: int | None
    new_in_year: int | None


class PlayedTold(TypedDict):
    """What was accepted in the year and counts at its end."""

    total: VolumeTold | None
    by_type: VolumesTold
    by_region: VolumesTold


class ChangesTold(TypedDict):
    """What was changed in the year, and how long after it had come."""

    corrected: CountsTold
    voided: CountsTold
    merged: CountsTold
    unmerged: int | None
    reseated: int | None


class PredictedTold(TypedDict):
    """Forecasts of one group, or of several: of how many, and how well they did."""

    names: list[str]
    forecasts: int
    expected_micro: int
    actual_micro: int
    log_loss_micro: int
    brier_micro: int
    even_log_loss_micro: int
    even_brier_micro: int


class PredictedList(TypedDict):
    """Forecasts by a list of groups."""

    each: list[PredictedTold]
    together: PredictedTold | None
    untold: list[str]


class ForecastsTold(TypedDict):
    """How well ratings predicted the rounds of the year."""

    total: PredictedTold | None
    by_expected_score: PredictedList
    by_band: PredictedList
    by_games: PredictedList


class MeanTold(TypedDict):
    """The mean rating at the end of a month; month 0 is how the year began."""

    month: int
    mean_centi: int | None


class MeasuresTold(TypedDict):
    """How well a formula predicted the whole history."""

    log_loss_micro: int
    brier_micro: int
    accuracy_micro: int | None


class TrialTold(TypedDict):
    """A formula tried on the history up to its adoption, beside what had been adopted before."""

    rounds: int
    pairs: int
    before: MeasuresTold
    adopted: MeasuresTold
    players: int
    moved: int | None
    mean_move_points: int | None
    median_move_points: int | None


class AdoptionTold(TypedDict):
    """A formula adopted in the year; its trial is null if too little had been played."""

    formula: str
    day: str
    fact: int
    since: Literal["now", "beginning"]
    trial: TrialTold | None


class PositionTold(TypedDict):
    """What a report stands on: both logs, up to these records."""

    log_id: str
    facts: int
    verdicts: int
    until: str
    formulas: list[str]


class FiguresTold(TypedDict):
    """All that the logs say of a year."""

    players: PlayersTold
    played: PlayedTold
    changes: ChangesTold
    forecasts: ForecastsTold
    mean_ratings: list[MeanTold]
    adoptions: list[AdoptionTold]


class SourcesCounted(TypedDict):
    """Sources that came in the year, those suspended as they were counted, and whom we declined."""

    came: int | None
    declined: int | None
    suspended: int | None


class MoneyCounted(TypedDict):
    """What was paid in one currency in the year, and paid back of it."""

    currency: str
    payments: int
    paid_cents: int
    refunds: int | None
    refunded_cents: int | None


class CountedBeside(TypedDict):
    """The figures that no log has, counted once and kept in figures.json."""

    format: Literal["mahjic-figures/1"]
    year: int
    log_id: str
    so_far: bool
    counted_on: str
    regions: dict[str, str]
    sources: SourcesCounted
    disputes: CountsTold
    seats: CountsTold
    money: list[MoneyCounted]
    forgotten: int | None


class Report(TypedDict):
    """A whole report, as it is in report.json."""

    format: Literal["mahjic-report/1"]
    year: int
    so_far: bool
    position: PositionTold
    figures: FiguresTold
    figures_sha256: str
    counted: CountedBeside
    counted_sha256: str
