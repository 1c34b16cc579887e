"""The commands that prove the published ratings: replay, verify and audit. They only look."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import orjson
import typer

from services.cli.terminal.options import AsJson, DataFolder, run_command, settings_for_data
from services.cli.terminal.output import hint, progress_bar, say, say_json, show_table
from services.operating.as_it_is import BothLogs, open_logs
from services.operating.proofs import auditing, proving, replaying, verifying
from services.rater.engine import engine_digest
from shared.http.logs import configure_logs
from shared.http.player_ids import read_id

T = TypeVar("T")

COLUMNS = (
    "change_id",
    "verdict",
    "time",
    "formula",
    "what",
    "before",
    "change",
    "after",
    "games",
    "verified_before",
    "verified_change",
    "verified_after",
    "verified_games",
    "fact_chain",
)
NUMBERS = tuple(name for name in COLUMNS if name not in {"change_id", "time", "formula", "what"})
SPARE = (
    "time",
    "formula",
    "verified_before",
    "before",
    "verified_games",
    "fact_chain",
    "games",
    "verdict",
    "verified_change",
    "verified_after",
)
# This much of a chain tells one fact from all others; the whole chain is in the JSON.
CHAIN_CHARACTERS = 16
NUMBER_NAMES = ("rating_centi", "games", "verified_rating_centi", "verified_games")


Progress = Callable[[str, int, int], None]
Proof = Callable[[BothLogs, Progress], Coroutine[Any, Any, T]]


def replay(*, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Rate all facts again, and compare every number and the chain with what was published.

    The first difference is named, with both numbers.
    """

    def proof(logs: BothLogs, progress: Progress) -> Coroutine[Any, Any, replaying.ReplayResult]:
        return replaying.replay(logs, engine_digest(), progress)

    found = _proved(data, "replay", "Replaying", proof)
    _tell(found, replaying.told(found), as_json)


def verify(*, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Check both logs and their sums, and every row that is shown against them.

    Each live view is compared with one built beside it from the verdicts. What submissions are
    judged by is compared with the facts. Exits with 1 if anything differs, naming view, row and
    column. `mahjic status` says how the last one ended.
    """
    settings = settings_for_data(data)
    configure_logs(level="critical")  # What is wrong is the answer.

    async def run() -> proving.Proven:
        with progress_bar("Verifying") as show:
            return await proving.prove(settings, show)

    found = run_command(run())
    _tell({**asdict(found.logs), **_proven_as_json(found)}, proving.told(found), as_json)
    for sentence in (*(each.told() for each in found.differences), *found.not_compared):
        hint(sentence)
    if found.outcome != "held":
        raise typer.Exit(1)


def audit(
    player_id: Annotated[
        str, typer.Argument(metavar="PLAYER", help="A Mahjic ID, like MJ-7K3Q9XZM, in any case.")
    ],
    *,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Trace a player's ratings back: every change, the fact behind it, and the sums of all."""
    who = read_id(player_id)

    def proof(logs: BothLogs, progress: Progress) -> Coroutine[Any, Any, auditing.Audit]:
        return auditing.audit(logs, who, progress)

    found = _proved(data, "audit", "Auditing", proof)
    if as_json:
        say_json(orjson.dumps(_as_json(found), option=orjson.OPT_INDENT_2))
        return
    show_table(COLUMNS, [_row(entry) for entry in found.entries], numbers=NUMBERS, spare=SPARE)
    for sentence in auditing.told(found):
        hint(sentence)


def _proved(data: Path | None, command: str, title: str, proof: Proof[T]) -> T:
    settings = settings_for_data(data)
    configure_logs(level="critical")  # What is wrong is the answer.

    async def run() -> T:
        async with open_logs(settings, command) as logs:
            with progress_bar(title) as show:
                return await proof(logs, show)

    return run_command(run())


def _tell(found: object, sentences: Sequence[str], as_json: bool) -> None:
    if as_json:
        say_json(orjson.dumps(found, default=bytes.hex, option=orjson.OPT_INDENT_2))
        return
    for sentence in sentences:
        say(sentence)


def _proven_as_json(found: proving.Proven) -> dict[str, Any]:
    return {
        "outcome": found.outcome,
        "views": [asdict(view) for view in found.views],
        "record": None if found.record is None else asdict(found.record),
    }


def _as_json(found: auditing.Audit) -> dict[str, Any]:
    entries = [
        {
            "change_id": entry.change_id,
            **asdict(entry),
            "before": _named(entry.before),
            "after": _named(entry.after),
        }
        for entry in found.entries
    ]
    now = {player_id: _named(numbers) for player_id, numbers in found.now.items()}
    return {**asdict(found), "entries": entries, "now": now}


def _named(numbers: verifying.Numbers) -> dict[str, int]:
    return dict(zip(NUMBER_NAMES, numbers, strict=True))


def _row(entry: auditing.PublishedChange) -> tuple[str, ...]:
    what = entry.what if entry.round_no is None else f"{entry.what} round {entry.round_no}"
    before, games_before, verified_before, verified_games_before = entry.before
    after, games, verified_after, verified_games = entry.after
    return (
        entry.change_id,
        str(entry.verdict_seq),
        entry.time,
        entry.formula,
        what,
        *_moved(before, after),
        f"{games - games_before:+d}",
        *_moved(verified_before, verified_after),
        f"{verified_games - verified_games_before:+d}",
        entry.fact_chain[:CHAIN_CHARACTERS],
    )


def _moved(before: int, after: int) -> tuple[str, str, str]:
    return f"{before / 100:.2f}", f"{(after - before) / 100:+.2f}", f"{after / 100:.2f}"
