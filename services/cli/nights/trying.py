"""Shows what a dry run says: who would move, who is new, and which rounds are on record."""

from collections.abc import Sequence
from typing import Final

from services.cli.nights.warned import Warned, by_option, show_warnings, warned
from services.cli.terminal.client import ServiceClient
from services.cli.terminal.output import hint, or_dash, points, say_json, show_table, signed
from services.cli.terminal.sending import send_until_told, with_query
from shared.answers.trials import TrialAnswer, TriedPlayer, TriedSession

SESSIONS: Final = "/v1/sessions"
COLUMNS: Final = ("player", "mahjic_id", "new", "rating_before", "rating_after", "rating_change")


def try_claim(
    service: ServiceClient,
    claim: bytes,
    *,
    wait_s: float,
    if_similar: str | None,
    as_json: bool,
    has_options: bool = True,
) -> None:
    """Try out a session, and show what would happen. It takes no key, since nothing is recorded.

    `has_options` says if the command has an option for what a JSON file says itself.
    """
    path = with_query(SESSIONS, dry_run="true", if_similar=if_similar)
    content = send_until_told(service, path, claim, wait_s=wait_s)
    if as_json:
        say_json(content)
    else:
        tried = service.read(TrialAnswer, content)
        told = warned(tried["warnings"])
        show_warnings(by_option(told) if has_options else told)
        _show_tried(tried)


def _show_tried(tried: TriedSession) -> None:
    if tried["results"]:
        show_table(COLUMNS, [_cells(each) for each in tried["results"]], numbers=COLUMNS[3:])
    _show_held(tried)
    hint("A dry run with today's ratings. Nothing was recorded.")


def show_beside(tried: TriedSession, warnings: Sequence[Warned]) -> None:
    """Show who would move, next to the table that is the result."""
    show_warnings(by_option(warnings))
    for each in tried["results"]:
        new = " (new)" if each["is_new_player"] else ""
        numbers = f"{points(each['rating_before'])} to {points(each['rating_after'])}"
        hint(f"{or_dash(each['player'])}{new}: {numbers}, {signed(each['rating_change'])}")
    _show_held(tried)


def _show_held(tried: TriedSession) -> None:
    held = [
        str(number) for number, each in enumerate(tried["rounds"], start=1) if each["on_record"]
    ]
    if held:
        noun = "Round" if len(held) == 1 else "Rounds"
        hint(f"{noun} {', '.join(held)} of this session: already on record.")


def _cells(tried: TriedPlayer) -> Sequence[str]:
    return (
        or_dash(tried["player"]),
        or_dash(tried["mahjic_id"]),
        "yes" if tried["is_new_player"] else "no",
        points(tried["rating_before"]),
        points(tried["rating_after"]),
        signed(tried["rating_change"]),
    )
