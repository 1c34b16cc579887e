"""The command that shows why a rating changed, in lines that add up to the change exactly."""

from collections.abc import Iterator
from typing import Annotated, Final

import typer

from services.cli.client import open_service, path_of
from services.cli.options import AsJson, read_settings
from services.cli.output import hint, is_terminal, points, say_json, show_table, signed
from services.projections.history.models import PoolReason, Why
from shared.http.player_ids import read_id

COLUMNS: Final = ("pool", "opponent", "rating", "expected", "actual", "k", "bonus", "gain")
NANO_PER_POINT: Final = 1_000_000_000


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
    pools = {"mahjic": reason.mahjic, "verified": reason.verified}
    tables = {name: list(reason_rows(name, pool)) for name, pool in pools.items() if pool.counted}
    if is_terminal():
        for rows in tables.values():
            show_table(COLUMNS[1:], [row[1:] for row in rows], numbers=COLUMNS[2:])
    else:
        show_table(COLUMNS, [row for rows in tables.values() for row in rows])
    for name, pool in pools.items():
        hint(_sentence(name, pool))


def reason_rows(name: str, pool: PoolReason) -> Iterator[tuple[str, ...]]:
    """Yield a row per opponent, then the sum, the rounding and the change, all of them exact."""
    for line in pool.lines:
        yield (
            name,
            line.player,
            points(line.rating_before),
            f"{line.expected:.9f}",
            f"{line.actual:.1f}",
            str(line.k),
            f"{line.points_bonus:+.4f}",
            _exact(line.pair_gain_nano),
        )
    empty = [""] * 5
    yield (name, "= sum", *empty, _exact(pool.sum_nano))
    yield (name, "+ rounding", *empty, _exact(pool.rounding_nano))
    yield (name, "= change", *empty, _exact(pool.sum_nano + pool.rounding_nano))


def _exact(nano: int) -> str:
    """Return nano as points with all their digits; a float would not hold them."""
    whole, rest = divmod(abs(nano), NANO_PER_POINT)
    return f"{'-' if nano < 0 else '+'}{whole}.{rest:09}"


def _sentence(name: str, pool: PoolReason) -> str:
    if not pool.counted:
        return f"The round did not count in the {name} pool."
    return (
        f"In the {name} pool {points(pool.rating_before)} {signed(pool.rating_change)} "
        f"is {points(pool.rating_after)}."
    )
