"""The command that shows a player: the profile, and on a terminal the chart of the rating."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Final

import typer

from services.cli.terminal.chart import draw_chart
from services.cli.terminal.client import ServiceClient, open_service, path_of
from services.cli.terminal.options import AsJson, MinSeq, read_settings
from services.cli.terminal.output import (
    is_terminal,
    or_dash,
    points,
    say,
    say_json,
    show_table,
    signed,
    terminal_columns,
)
from services.projections.history.answers import Change, Correction, History
from services.projections.profiles.answers import Profile
from shared.http.player_ids import read_id

# As many as the service gives in one page; older ones would not change a chart of this width.
CHANGES_SHOWN_MAX: Final = 200
CHANGES_LISTED: Final = 5
CHART_ROWS: Final = 10
CHART_COLUMNS_MAX: Final = 72
# What is to the left of the line: the rating and the axis.
CHART_MARGIN: Final = 9
# What a correction shows where rounds have their source.
CAUSES: Final[Mapping[str, str]] = {
    "void": "(a session voided)",
    "correction": "(a session corrected)",
    "merge": "(merged)",
    "unmerge": "(unmerged)",
    "reseat": "(seats reassigned)",
    "formula": "(another formula)",
}


def player(
    player_id: Annotated[
        str, typer.Argument(metavar="ID", help="A Mahjic ID, like MJ-7K3Q9XZM, in any case.")
    ],
    *,
    with_chart: Annotated[
        bool | None,
        typer.Option(
            "--chart/--no-chart", help=("Draw the rating chart; by default only in a terminal.")
        ),
    ] = None,
    min_seq: MinSeq = None,
    as_json: AsJson = False,
) -> None:
    """Show where a player stands, and how the rating got there."""
    who = read_id(player_id)
    is_drawn = not as_json and (is_terminal() if with_chart is None else with_chart)
    with open_service(read_settings()) as service:
        content = service.get(path_of("v1", "players", who), min_seq=min_seq)
        profile = service.read(Profile, content)
        changes = _newest_changes(service, who, min_seq) if is_drawn else []
    if as_json:
        say_json(content)
        return
    show_table(("field", "value"), _facts(profile))
    if changes:
        _draw(changes)


def _newest_changes(
    service: ServiceClient, who: str, min_seq: int | None
) -> Sequence[Change | Correction]:
    """Return what moved the rating of this very id, so that the line has no breaks."""
    path = path_of("v1", "players", who, "history")
    content = service.get(path, limit=CHANGES_SHOWN_MAX, min_seq=min_seq)
    changes = service.read(History, content)["changes"]
    return [each for each in changes if each["played_as"] is None]


def _facts(profile: Profile) -> list[tuple[str, str]]:
    return [
        ("mahjic_id", profile["player_id"]),
        ("name", profile["name"]),
        ("tier", profile["tier"]),
        ("rating", points(profile["rating"])),
        ("band", profile["band"]),
        ("games", str(profile["games"])),
        ("mahjongs", str(profile["mahjongs"])),
        ("verified_rating", points(profile["verified_rating"])),
        ("verified_games", str(profile["verified_games"])),
        ("global_rank", or_dash(profile["global_rank"])),
        ("region", or_dash(profile["region"])),
        ("sessions", str(profile["sessions"])),
        ("last_played", or_dash(profile["last_played"])),
    ]


def _draw(newest_first: Sequence[Change | Correction]) -> None:
    changes = newest_first[::-1]
    ratings = [
        changes[0]["mahjic"]["rating_before"],
        *(each["mahjic"]["rating_after"] for each in changes),
    ]
    lines = draw_chart(
        ratings,
        columns=max(20, min(CHART_COLUMNS_MAX, terminal_columns() - CHART_MARGIN)),
        rows=CHART_ROWS,
        first=str(_date(changes[0])),
        last=str(_date(changes[-1])),
    )
    for line in lines:
        say(line)
    say("")
    rows = [
        (
            str(_date(each)),
            each["source"]["name"] if each["type"] == "round" else CAUSES[each["cause"]],
            signed(each["mahjic"]["rating_change"]),
            points(each["mahjic"]["rating_after"]),
            each["change_id"],
        )
        for each in newest_first[:CHANGES_LISTED]
    ]
    columns = ("played", "source", "change", "rating", "change_id")
    show_table(columns, rows, numbers=("change", "rating"))


def _date(change: Change | Correction) -> date:
    return change["session_date"] if change["type"] == "round" else change["corrected_on"]
