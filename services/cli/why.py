"""The command that shows why a rating changed, in lines that add up to the change exactly."""

from collections.abc import Iterator
from typing import Annotated, Final

import typer

from services.cli.client import open_service, path_of
from services.cli.options import AsJson, read_settings
from services.cli.output import hint, points, say_json, show_table, signed
from services.projections.history.models import PoolReason, Why
from services.projections.people import read_id

COLUMNS: Final = (
    "pool",
    "opponent",
    "rating",
    "expected",
    "actual",
    "k",
    "points_bonus",
    "gain",
    "gain_nano",
)


def why(
    change_id: Annotated[
        str, typer.Argument(metavar="CHANGE", help="The id of a change, like MJ-7K3Q9XZM.17.1.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Show why a round moved a rating: what each opponent contributed, and the sum."""
    who = read_id(change_id.partition(".")[0])
    with open_service(read_settings()) as service:
        content = service.get(path_of("v1", "players", who, "changes", change_id))
        reason = service.read(Why, content)
    if as_json:
        say_json(content)
        return
    hint(
        f"{reason.change_id}: {reason.session_date}, {reason.source.name}, {reason.game_type}, "
        f"round {reason.round_number}: {reason.mahjongs} of {reason.games_played} games won. "
        f"Formula {reason.formula}."
    )
    rows = [*_rows("mahjic", reason.mahjic), *_rows("verified", reason.verified)]
    show_table(COLUMNS, rows, numbers=COLUMNS[2:])
    for pool, moved in (("mahjic", reason.mahjic), ("verified", reason.verified)):
        hint(_sentence(pool, moved))


def _rows(pool: str, reason: PoolReason) -> Iterator[tuple[str, ...]]:
    """Yield a row per opponent, then the sum, the rounding and the change."""
    if not reason.counted:
        return
    for line in reason.lines:
        yield (
            pool,
            line.player,
            points(line.rating_before),
            f"{line.expected:.9f}",
            f"{line.actual:.1f}",
            str(line.k),
            signed(line.points_bonus),
            signed(line.pair_gain),
            str(line.pair_gain_nano),
        )
    change = signed(reason.rating_change)
    change_nano = reason.sum_nano + reason.rounding_nano
    yield (pool, "= sum", *[""] * 6, str(reason.sum_nano))
    yield (pool, "+ rounding", *[""] * 6, str(reason.rounding_nano))
    yield (pool, "= change", *[""] * 5, change, str(change_nano))


def _sentence(pool: str, reason: PoolReason) -> str:
    if not reason.counted:
        return f"The round did not count in the {pool} pool."
    return (
        f"In the {pool} pool {points(reason.rating_before)} {signed(reason.rating_change)} "
        f"is {points(reason.rating_after)}."
    )
