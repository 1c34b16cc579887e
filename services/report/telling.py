"""Turns what was counted into what is told of it. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from services.report.changes import EndKind
from services.report.exactly import ratio
from services.report.predicted import BINS, ForecastSums
from services.report.shapes import (
    ChangesTold,
    CountsTold,
    ForecastsTold,
    MeanTold,
    PlayedTold,
    PlayersTold,
    PredictedList,
    PredictedTold,
    VolumesTold,
    VolumeTold,
)
from services.report.tally import ANONYMOUS, Mean, Volume, YearTally
from services.report.withholding import LEAST, ToldList, told, told_list, told_part
from shared.events.facts import GAME_TYPES
from shared.rating.bands import BANDS
from shared.rating.expected import WIN_NANO

TIERS: Final = ("verified", "provisional", "anonymous")
NO_REGION: Final = "no region"
WAITS: Final = (
    ("within a day", timedelta(days=1)),
    ("within a week", timedelta(days=7)),
    ("within a month", timedelta(days=30)),
    ("within a year", timedelta(days=365)),
    ("later", timedelta.max),
)
GAME_STAGES: Final = ("up to 29 games", "30 to 100 games", "more than 100 games")
MICRO: Final = 1_000_000
# -ln of a half, in millionths: what the forecast of always even loses, whatever happens.
EVEN_LOG_LOSS_MICRO: Final = 693_147
EVEN_BRIER_MICRO: Final = 250_000
# With fewer players, or in finer steps, the mean and all public ratings would tell about the rating
# of the one private player. A step moves the sum of all ratings by 100 points or more.
MEAN_STEPS: Final = ((1_000, 10), (100, 100))


def players_told(tally: YearTally) -> PlayersTold:
    """Return who is rated at the end of the year."""
    people, changes = tally.people, tally.changes
    verified = {changes.survivor(each) for each in changes.verified}
    counts = dict.fromkeys(TIERS, 0)
    played = new = 0
    for index in range(1, len(people)):
        if people.is_rated(index):
            player_id = people.id_of(index)
            is_anonymous = player_id.startswith(ANONYMOUS)
            unverified = "anonymous" if is_anonymous else "provisional"
            counts["verified" if player_id in verified else unverified] += 1
            played += player_id in tally.played
            new += player_id not in tally.rated_before
    return {
        "by_tier": counts_told(counts),
        "played_in_year": told_part(played, people.rated),
        "new_in_year": told_part(new, people.rated),
    }


def played_told(
    tally: YearTally, regions: Mapping[str, str], region_names: Sequence[str]
) -> PlayedTold:
    """Return how much was played, by the type of the games and the region of the source."""
    by_region: dict[str, list[Volume]] = {}
    for source, volume in tally.by_source.items():
        by_region.setdefault(regions.get(source, NO_REGION), []).append(volume)
    by_type = {name: [volume] for name, volume in tally.by_type.items()}
    total = _volume([], [*tally.by_type.values()])
    return {
        "total": total if total["sessions"] >= LEAST else None,
        "by_type": _volumes(by_type, GAME_TYPES),
        "by_region": _volumes(by_region, (*region_names, NO_REGION)),
    }


def _volumes(by: Mapping[str, Sequence[Volume]], names: Sequence[str]) -> VolumesTold:
    def volume_of(cells: Sequence[str]) -> VolumeTold:
        return _volume(cells, [*chain.from_iterable(by.get(cell, ()) for cell in cells)])

    def counts_of(cells: Sequence[str]) -> tuple[int, ...]:
        volume = volume_of(cells)
        return volume["sessions"], volume["rounds"], volume["games"]

    found = told_list(names, counts_of)
    return {
        "each": [volume_of([name]) for name in found.each],
        "together": volume_of(found.together) if found.together else None,
        "untold": [*found.untold],
    }


def _volume(names: Sequence[str], volumes: Sequence[Volume]) -> VolumeTold:
    return {
        "names": [*names],
        "sessions": sum(each.sessions for each in volumes),
        "rounds": sum(each.rounds for each in volumes),
        "games": sum(each.games for each in volumes),
    }


def changes_told(tally: YearTally) -> ChangesTold:
    """Return what was corrected, voided and merged in the year, and how long after it came."""
    changes, came_at = tally.changes, tally.came_at

    def ended(kind: EndKind) -> CountsTold:
        return _waits_told(
            ending.time - came_at[session_id]
            for session_id, ending in changes.ended.items()
            if ending.kind == kind and ending.is_in_year
        )

    def both_came(one: str, other: str, merged: datetime) -> datetime:
        return max(came_at.get(one, merged), came_at.get(other, merged))

    merged = _waits_told(
        each.time - both_came(each.player_id, each.into, each.time) for each in changes.merged
    )
    return {
        "corrected": ended("corrected"),
        "voided": ended("voided"),
        "merged": merged,
        "unmerged": told(changes.counts["unmerged"]),
        "reseated": told(changes.counts["reseated"]),
    }


def _waits_told(waits: Iterable[timedelta]) -> CountsTold:
    counts = {name: 0 for name, _ in WAITS}
    for wait in waits:
        counts[next(name for name, most in WAITS if wait < most)] += 1
    return counts_told(counts)


def counts_told(counts: Mapping[str, int]) -> CountsTold:
    """Return what is told of counts that add up to their total."""

    def count_of(cells: Sequence[str]) -> int:
        return sum(counts[cell] for cell in cells)

    found = told_list([*counts], lambda cells: (count_of(cells),))
    together = found.together
    return {
        "total": told(count_of([*counts])),
        "each": [{"names": [name], "count": counts[name]} for name in found.each],
        "together": {"names": [*together], "count": count_of(together)} if together else None,
        "untold": [*found.untold],
    }


def forecasts_told(tally: YearTally) -> ForecastsTold:
    """Return how well the ratings of the year predicted, and where."""
    scores = [f"{5 * at}% to {5 * at + 5}%" for at in range(BINS)]
    named = (scores, [band.name for band in BANDS], list(GAME_STAGES))
    lists: list[PredictedList] = []
    bit = 0
    for names, groups in zip(named, tally.predicted.groups(), strict=True):
        bits = {name: 1 << (bit + at) for at, name in enumerate(names)}
        lists.append(
            _predicted_list(dict(zip(names, groups, strict=True)), _players_in(tally, bits))
        )
        bit += len(groups)
    everything = sum(tally.predicted.by_band, ForecastSums())
    is_told = _players_in(tally, {"all": (1 << bit) - 1})(["all"]) >= LEAST
    return {
        "total": _predicted([], everything) if is_told and everything.forecasts else None,
        "by_expected_score": lists[0],
        "by_band": lists[1],
        "by_games": lists[2],
    }


def _players_in(tally: YearTally, bits: Mapping[str, int]) -> Callable[[Sequence[str]], int]:
    """Return what counts the players behind some groups: one alone is not told about either."""

    def players_in(cells: Sequence[str]) -> int:
        wanted = 0
        for cell in cells:
            wanted |= bits[cell]
        return sum(1 for seen in tally.predicted.seen if seen & wanted)

    return players_in


def _predicted_list(
    groups: Mapping[str, ForecastSums], players_in: Callable[[Sequence[str]], int]
) -> PredictedList:
    def group_of(cells: Sequence[str]) -> ForecastSums:
        return sum((groups[cell] for cell in cells), ForecastSums())

    found: ToldList = told_list(
        [*groups], lambda cells: (group_of(cells).forecasts, players_in(cells))
    )
    together = found.together
    return {
        "each": [_predicted([name], groups[name]) for name in found.each],
        "together": _predicted(together, group_of(together)) if together else None,
        "untold": [*found.untold],
    }


def _predicted(names: Sequence[str], group: ForecastSums) -> PredictedTold:
    forecasts = group.forecasts
    whole = WIN_NANO * forecasts
    return {
        "names": [*names],
        "forecasts": forecasts,
        "expected_micro": ratio(group.expected_nano * MICRO, whole),
        "actual_micro": ratio(group.actual_nano * MICRO, whole),
        "log_loss_micro": ratio(group.loss_nano_twice * MICRO, 2 * whole),
        "brier_micro": ratio(group.square * MICRO, WIN_NANO * whole),
        "even_log_loss_micro": EVEN_LOG_LOSS_MICRO,
        "even_brier_micro": ratio(group.decided * EVEN_BRIER_MICRO, forecasts),
    }


def means_told(means: Sequence[Mean]) -> list[MeanTold]:
    """Return the mean rating at the end of each month, as finely as it may be told."""
    return [{"month": each.month, "mean_centi": _mean_told(each)} for each in means]


def _mean_told(mean: Mean) -> int | None:
    for least, step in MEAN_STEPS:
        if mean.players >= least:
            return step * ratio(mean.sum_centi, mean.players * step)
    return None
