"""The command that shows why a rating changed, in lines that add up to the change exactly."""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeAlias

import typer

from services.cli.terminal.client import ServiceClient, ServiceRefused, open_service, path_of
from services.cli.terminal.options import AsJson, read_settings
from services.cli.terminal.output import hint, is_terminal, points, say_json, show_table, signed
from services.projections.history.answers import (
    AnyWhy,
    ChangedRound,
    PoolChange,
    PoolReason,
    Why,
    WhyCorrected,
)
from shared.http.player_ids import read_id

PoolName: TypeAlias = Literal["mahjic", "verified"]

POOLS: Final[tuple[PoolName, ...]] = ("mahjic", "verified")
COLUMNS: Final = ("pool", "opponent", "rating", "expected", "actual", "k", "bonus", "gain")
ROUND_COLUMNS: Final = ("pool", "played", "source", "round", "before", "after", "difference")
NANO_PER_POINT: Final = 1_000_000_000
# As many rounds of a correction as the service gives in one page.
ROUNDS_LISTED_MAX: Final = 200
# A service that has just started reads its whole log before it can show the rounds.
TRIES_MAX: Final = 60
RETRY_S: Final = 0.5


def why(
    change_id: Annotated[
        str,
        typer.Argument(
            metavar="CHANGE",
            help="The id of a change: MJ-7K3Q9XZM.17.1 for a round, MJ-7K3Q9XZM.20 for a "
            "correction.",
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Show why a rating changed: by each opponent in a round, by each round in a correction."""
    who = read_id(change_id.partition(".")[0])
    with open_service(read_settings()) as service:
        path = path_of("v1", "players", who, "changes", change_id)
        # The id of a correction names no round.
        limit = ROUNDS_LISTED_MAX if change_id.count(".") == 1 else None
        content = _asked(service, path, limit)
        reason = service.read(AnyWhy, content).root
    if as_json:
        say_json(content)
    elif reason["type"] == "round":
        _show_round(reason)
    else:
        _show_correction(reason)


def reason_rows(name: str, pool: PoolReason) -> Iterator[tuple[str, ...]]:
    """Yield a row per opponent, then the sum, the rounding and the change, all exact."""
    for line in pool["lines"]:
        yield (
            name,
            line["player"],
            points(line["rating_before"]),
            f"{line['expected']:.9f}",
            f"{line['actual']:.1f}",
            str(line["k"]),
            f"{line['points_bonus']:+.4f}",
            _exact(line["pair_gain_nano"]),
        )
    empty = [""] * 5
    yield (name, "= sum", *empty, _exact(pool["sum_nano"]))
    yield (name, "+ rounding", *empty, _exact(pool["rounding_nano"]))
    whole_nano = pool["sum_nano"] + pool["rounding_nano"]
    if pool["divided_by"] > 1:
        yield (name, f"divided by {pool['divided_by']}", *empty, "")
        whole_nano //= pool["divided_by"]
    yield (name, "= change", *empty, _exact(whole_nano))


def round_rows(name: PoolName, rounds: Sequence[ChangedRound]) -> Iterator[tuple[str, ...]]:
    """Yield a row per round that changed in a pool: what it gave, and what it gives now."""
    for each in rounds:
        before = None if each["before"] is None else each["before"][name]
        after = None if each["after"] is None else each["after"][name]
        if before == after or not (_is_counted(before) or _is_counted(after)):
            continue
        yield (
            name,
            str(each["session_date"]),
            each["source"]["name"],
            f"{each['session_id']} {each['round_number']}",
            "-" if before is None else signed(before["rating_change"]),
            "-" if after is None else signed(after["rating_change"]),
            signed((_centi(after) - _centi(before)) / 100),
        )


def _asked(service: ServiceClient, path: str, limit: int | None) -> bytes:
    """Return the reason, waiting while the service works it out."""
    for _ in range(TRIES_MAX):
        try:
            return service.get(path, limit=limit)
        except ServiceRefused as error:
            if error.told_code != "being_computed":
                raise
        time.sleep(RETRY_S)
    return service.get(path, limit=limit)


def _show_round(reason: Why) -> None:
    hint(
        f"{reason['change_id']}: {reason['session_date']}, {reason['source']['name']}, "
        f"{reason['game_type']}, round {reason['round_number']}: {reason['mahjongs']} of "
        f"{reason['games_played']} games won. Formula {reason['formula']}."
    )
    pools = {"mahjic": reason["mahjic"], "verified": reason["verified"]}
    counted = {name: pool for name, pool in pools.items() if pool["counted"]}
    tables = {name: list(reason_rows(name, pool)) for name, pool in counted.items()}
    if is_terminal():
        for rows in tables.values():
            show_table(COLUMNS[1:], [row[1:] for row in rows], numbers=COLUMNS[2:])
    else:
        show_table(COLUMNS, [row for rows in tables.values() for row in rows])
    for name, pool in pools.items():
        hint(_sentence(name, pool))
    player_id = reason["change_id"].partition(".")[0]
    for each in reason["corrections"]:
        told = "voided" if each["replaced_by"] is None else f"corrected by {each['replaced_by']}"
        since = f"The session was {told} since ({each['reason']})"
        hint(f"{since}; to see that change: mahjic why {player_id}.{each['fact_seq']}")


def _show_correction(reason: WhyCorrected) -> None:
    hint(f"{reason['change_id']}: {reason['corrected_on']}, {_cause(reason)}.")
    pools = {"mahjic": reason["mahjic"], "verified": reason["verified"]}
    if reason["rounds"] is None:
        hint("The history is too long for the service to list the rounds that changed.")
    else:
        rows = [row for name in POOLS for row in round_rows(name, reason["rounds"])]
        show_table(ROUND_COLUMNS, rows, numbers=ROUND_COLUMNS[4:])
        if reason["next_cursor"] is not None:
            shown, count = len(reason["rounds"]), reason["rounds_count"]
            hint(f"These are the first {shown} of {count} rounds.")
    for name, pool in pools.items():
        hint(
            f"In the {name} pool, {points(pool['rating_before'])} {signed(pool['rating_change'])} "
            f"is {points(pool['rating_after'])}."
        )


def _cause(correction: WhyCorrected) -> str:
    cause, sessions = correction["cause"], correction["sessions"]
    because = f"({correction['reason']})"
    match cause:
        case "void":
            return f"void of {_sessions(correction)} {because}"
        case "correction":
            return f"correction of {sessions[0]} by {correction['replaced_by']} {because}"
        case "reseat":
            return f"seat in {_sessions(correction)} given to another player"
        case "formula":
            return f"formula {correction['formula']} from the beginning"
        case _:
            merged = correction["merged"]
            assert merged is not None, "A merge is of two players."
            return f"{cause} of {merged['player']['player']} and {merged['into']['player']}"


def _sessions(correction: WhyCorrected) -> str:
    count = correction["sessions_count"]
    return correction["sessions"][0] if count == 1 else f"{count} sessions"


def _is_counted(pool: PoolChange | None) -> bool:
    return pool is not None and pool["games_after"] > pool["games_before"]


def _centi(pool: PoolChange | None) -> int:
    return 0 if pool is None else round(pool["rating_change"] * 100)


def _exact(nano: int) -> str:
    """Return nano as points with all their digits; a float would not hold them."""
    whole, rest = divmod(abs(nano), NANO_PER_POINT)
    return f"{'-' if nano < 0 else '+'}{whole}.{rest:09}"


def _sentence(name: str, pool: PoolReason) -> str:
    if not pool["counted"]:
        return f"The round did not count in the {name} pool."
    return (
        f"In the {name} pool, {points(pool['rating_before'])} {signed(pool['rating_change'])} "
        f"is {points(pool['rating_after'])}."
    )
