"""Voids many sessions in one step: which they are, and what would move, is shown first."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from services.site.desk.sessions.session_words import REASON_WORDS
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from services.site.staff.changes import MeantSessions, RecordMoved
from services.site.staff.record.shown_before import as_of, asked_again, newer_than
from shared.events.facts import REASONS, Reason
from shared.http.browser.forms import read_form
from shared.ids import MistypedPlayerIdError, is_slug, read_player_id

TAB: Final = "/void"
PATH: Final = f"{STAFF_PATH}{TAB}"
# What the page lists; it tells how many there are.
LISTED_MAX: Final = 50
FIELDS: Final = ("source", "player", "from", "to", "reason")


@dataclass(frozen=True, slots=True)
class AskedVoids:
    """What was asked for, as it was typed and as it is meant; None if something is wrong."""

    typed: Mapping[str, str]
    meant: MeantSessions | None
    reason: Reason | None
    wrong: Mapping[str, str]


async def void_page(request: Request, at: AtStaff) -> Response:
    """Ask which sessions are meant, or show what voiding them would do."""
    asked = read_asked(request.query_params)
    look = None
    if asked.meant is not None and asked.reason is not None:
        after = newer_than(request)
        look = await at.room.voids.look(asked.meant, asked.reason, newer_than=after)
    is_asked = "reason" in request.query_params
    return at.page(
        "staff/record/void.html",
        title=_("Void many sessions"),
        tab=TAB,
        status=422 if is_asked and asked.wrong else 200,
        asked=asked,
        wrong=asked.wrong if is_asked else {},
        look=look,
        moves=look.moves if look else None,
        listed=look.sessions[:LISTED_MAX] if look else [],
        by_source=_by_source([each.source for each in look.sessions] if look else []),
        here=f"{PATH}?{urlencode(dict(asked.typed))}",
        back=f"{PATH}?{urlencode({k: v for k, v in asked.typed.items() if k != 'reason'})}",
        sources=await at.room.sources.all(),
        reasons=REASON_WORDS,
        has_moved=request.query_params.get("moved") == "yes",
        voided=_count(request.query_params.get("voided", "")),
    )


async def void(request: Request, at: AtStaff) -> Response:
    """Void what was shown, if the record stands as it was shown."""
    form = await read_form(request)
    asked = read_asked(form)
    if asked.meant is None or asked.reason is None:
        return lead_to(f"{PATH}?{urlencode(dict(asked.typed))}")
    mark = form.get("mark", "")
    try:
        count = await at.room.voids.void(
            at.login, asked.meant, asked.reason, as_of=as_of(form), mark=mark
        )
    except RecordMoved:
        return asked_again(PATH, asked.typed, form)
    return lead_to(f"{PATH}?voided={count}")


def read_asked(fields: Mapping[str, str]) -> AskedVoids:
    """Read what is meant, or what is wrong with it."""
    typed = {name: fields.get(name, "").strip()[:100] for name in FIELDS}
    wrong: dict[str, str] = {}
    if not typed["source"] and not typed["player"]:
        wrong["source"] = _("Choose a source or a player, or both.")
    elif typed["source"] and not is_slug(typed["source"]):
        wrong["source"] = _("There is no such source. Choose one from the list.")
    player_id = _player(typed["player"], wrong)
    first, last = _day("from", typed, wrong), _day("to", typed, wrong)
    if first is not None and last is not None and last < first:
        wrong["to"] = _("The last day is before the first one. Switch them.")
    reason = next((each for each in REASONS if each == typed["reason"]), None)
    if reason is None:
        wrong["reason"] = _("Choose why.")
    if wrong:
        return AskedVoids(typed, None, None, wrong)
    days = (first or date.min, last or date.max)
    return AskedVoids(typed, MeantSessions(typed["source"] or None, player_id, *days), reason, {})


def _player(text: str, wrong: dict[str, str]) -> str | None:
    if not text:
        return None
    try:
        return read_player_id(text)
    except MistypedPlayerIdError as error:
        wrong["player"] = str(error)
        return None


def _day(name: str, typed: Mapping[str, str], wrong: dict[str, str]) -> date | None:
    if not typed[name]:
        return None
    try:
        return date.fromisoformat(typed[name])
    except ValueError:
        wrong[name] = _("Write the day as 2026-01-31.")
        return None


def _by_source(sources: list[str]) -> Mapping[str, int]:
    return Counter(sources)


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= len("10000") else 0
