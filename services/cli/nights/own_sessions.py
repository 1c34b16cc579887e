"""The command that lists a source's sessions, to find one to void or correct."""

from collections.abc import Iterator
from typing import Annotated, Final, TypeAlias

import typer

from services.cli.terminal.client import ServiceClient, open_service
from services.cli.terminal.options import AsJson, MinSeq, read_settings
from services.cli.terminal.output import hint, or_dash, say_json, show_table
from services.projections.sessions.answers import SessionList, SessionRow
from services.projections.sessions.list_routes import PAGE_SESSIONS_MAX
from shared.answers import SessionStatus

COLUMNS: Final = (
    "session_date",
    "session_id",
    "status",
    "game_type",
    "rounds",
    "player",
    "corrected_by",
)
SPARE: Final = ("corrected_by", "game_type", "rounds")
LISTED_MAX: Final = 10_000


FirstDate: TypeAlias = Annotated[
    str | None,
    typer.Option("--from", metavar="YYYY-MM-DD", help="Only those on or after this date."),
]
LastDate: TypeAlias = Annotated[
    str | None,
    typer.Option("--to", metavar="YYYY-MM-DD", help="Only those on or before this date."),
]
OfPlayer: TypeAlias = Annotated[
    str | None, typer.Option(metavar="ID", help="Only those of one player, by Mahjic ID.")
]
WithStatus: TypeAlias = Annotated[
    SessionStatus | None, typer.Option(help="Only those with this status today.")
]
OfSource: TypeAlias = Annotated[
    str | None, typer.Option(metavar="SLUG", help="Whose sessions; only with an operator key.")
]
Limit: TypeAlias = Annotated[
    int,
    typer.Option(metavar="N", min=1, max=LISTED_MAX, help="How many sessions to show at most."),
]


def sessions(
    *,
    first_date: FirstDate = None,
    last_date: LastDate = None,
    player: OfPlayer = None,
    status: WithStatus = None,
    source: OfSource = None,
    limit: Limit = 50,
    min_seq: MinSeq = None,
    as_json: AsJson = False,
) -> None:
    """List your sessions, newest day first, with the ids that `void` and `correct` take."""
    asked = {
        "from": first_date,
        "to": last_date,
        "player": player,
        "status": status,
        "source": source,
        "min_seq": min_seq,
    }
    rows: list[SessionRow] = []
    has_more = False
    with open_service(read_settings()) as service:
        for content, page in _pages(service, asked, limit):
            if as_json:
                say_json(content)
            rows += page["sessions"]
            has_more = page["next_cursor"] is not None
    if as_json:
        return
    show_table(COLUMNS, [_cells(row) for row in rows], numbers=("rounds",), spare=SPARE)
    if not rows:
        hint("No such sessions.")
    if has_more:
        hint(
            f"There are more: --limit shows up to {LISTED_MAX:,}, and --from and --to choose "
            "other days."
        )


def _pages(
    service: ServiceClient, asked: dict[str, str | int | None], limit: int
) -> Iterator[tuple[bytes, SessionList]]:
    """Yield pages until there are `limit` sessions, or no more."""
    cursor = None
    while limit > 0:
        content = service.get_own(
            "/v1/sessions", **asked, limit=min(limit, PAGE_SESSIONS_MAX), cursor=cursor
        )
        page = service.read(SessionList, content)
        yield content, page
        limit -= len(page["sessions"])
        cursor = page["next_cursor"]
        if cursor is None:
            return


def _cells(row: SessionRow) -> tuple[str, ...]:
    named = [each["player"] or each["player_id"] for each in row["players"]]
    if hidden := row["players_count"] - len(named):
        named.append(f"{hidden} not shown")
    return (
        or_dash(row["session_date"]),
        row["session_id"],
        row["status"],
        or_dash(row["game_type"]),
        str(row["rounds_count"]),
        ", ".join(named),
        or_dash(row["corrected_by"]),
    )
