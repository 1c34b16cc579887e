"""The list of a club's sessions: by date and by player, in pages."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from services.projections.answering.cursors import WrongCursor
from services.site.desk.at_desk import AtDesk
from services.site.desk.night.missing import read_day
from services.site.desk.night.roster import Listed
from services.site.desk.sessions.recorded import WantedSessions
from services.site.desk.sessions.session_words import KIND_WORDS, STATUS_WORDS
from services.site.kit.words import _
from services.site.login.door import lead_off

SESSIONS_TAB: Final = "/sessions"
# What may stand in the address of the list. Players are there by their ids, never by a name.
FILTERS: Final = ("from", "to", "player")
# Two tables of people say which night it was; all of them are on its own page.
NAMES_MAX: Final = 8


async def sessions_page(request: Request, at: AtDesk) -> Response:
    """List the sessions of the club, the newest day first."""
    asked = {name: request.query_params.get(name, "") for name in FILTERS}
    people = await at.room.sessions.people(at.desk.source)
    wanted, wrong = _read_filters(asked, people)
    cursor = request.query_params.get("cursor")
    if wrong:
        wanted, cursor = WantedSessions(), None
    try:
        found = await at.room.sessions.find(at.desk.source, wanted, cursor=cursor)
    except WrongCursor:
        return lead_off(at.path(SESSIONS_TAB))
    older = None
    if found.next_cursor is not None:
        older = f"?{urlencode({**_given(asked), 'cursor': found.next_cursor})}"
    return at.page(
        "desk/sessions/list.html",
        title=_("Sessions"),
        tab=SESSIONS_TAB,
        status=422 if wrong else 200,
        lines=found.lines,
        disputes_waiting=len(await at.room.sessions.disputes(at.desk.source)),
        older=older,
        newer=f"?{urlencode(_given(asked))}" if cursor else None,
        asked=asked,
        is_filtered=wanted != WantedSessions(),
        people=people,
        wrong=wrong,
        kind_words=KIND_WORDS,
        status_words=STATUS_WORDS,
        names_max=NAMES_MAX,
    )


def _read_filters(
    asked: Mapping[str, str], people: Sequence[Listed]
) -> tuple[WantedSessions, Mapping[str, str]]:
    """Return what is looked for, and by its field what cannot be."""
    wrong = {}
    days = {name: read_day(asked[name]) if asked[name] else None for name in ("from", "to")}
    for name, day in days.items():
        if asked[name] and day is None:
            wrong[name] = _("This is not a date. Choose one, or leave the field empty.")
    wanted = WantedSessions(days["from"], days["to"], asked["player"] or None)
    if wanted.first_day and wanted.last_day and wanted.first_day > wanted.last_day:
        wrong["to"] = _("The last day is before the first one. Switch them.")
    if wanted.player_id and wanted.player_id not in {each.player_id for each in people}:
        wrong["player"] = _("This player is not on your list. Choose somebody from the list.")
    return wanted, wrong


def _given(asked: Mapping[str, str]) -> Mapping[str, str]:
    return {name: text for name, text in asked.items() if text}
