"""The page that says why a rating changed: by a round, or by a correction of the past."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Path, Request
from starlette.responses import Response

from services.projections.history.answers import Why, WhyCorrected
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _, shown_change, shown_day
from services.site.players.asked import Cursor, lead_on, survivors
from services.site.players.corrected import CHANGED_ROUNDS_PAGE, changed_rows
from services.site.players.sums import rule_of, sum_of
from services.site.players.told import (
    correction_title,
    correction_words,
    game_type_words,
    isolated,
    reason_words,
)
from services.site.players.whereabouts import public_paths
from services.site.reads import Reads
from shared.errors import UnknownPlayer
from shared.http.player_ids import PlayerIdPath, read_id

# An id, a fact of up to 18 digits and a round of up to 5, and dots between them.
CHANGE_ID_CHARACTERS_MAX: Final = 64

ChangePath: TypeAlias = Annotated[str, Path(max_length=CHANGE_ID_CHARACTERS_MAX)]


async def why_page(
    request: Request,
    site: Site,
    reads: Reads,
    *,
    player_id: PlayerIdPath,
    change_id: ChangePath,
    cursor: Cursor = None,
) -> Response:
    """Show the arithmetic of one change, so that it can be followed to the last digit."""
    who = read_id(player_id)
    moved, _dot, rest = change_id.partition(".")
    written = f"{read_id(moved)}.{rest}"
    if (who, written) != (player_id, change_id):
        return lead_on(_path(who, written), request.url.query)
    try:
        profile = await reads.players.profile(who)
        reason = await reads.players.change(
            who, change_id, cursor=cursor, limit=CHANGED_ROUNDS_PAGE
        )
    except UnknownPlayer as unknown:
        (survivor,) = await survivors(reads.players, [who], unknown)
        return lead_on(_path(survivor, change_id))
    told = told_reason(profile["name"], reason, is_first=cursor is None)
    return site.page(
        request,
        told.template,
        _head(who, told),
        current="",
        paths=public_paths(who),
        **told.shown,
    )


@dataclass(frozen=True, slots=True)
class ToldReason:
    """A reason for a change as a page tells it: what it is called, and what it is made of."""

    title: str
    change_id: str
    template: str
    is_named: bool
    shown: Mapping[str, object]


def told_reason(name: str, reason: Why | WhyCorrected, *, is_first: bool) -> ToldReason:
    """Return how a page tells a reason; `is_first` if its list of rounds is at the beginning."""
    if reason["type"] == "round":
        template, day, shown = "players/why.html", reason["session_date"], _round(reason)
    else:
        template, day = "players/why_corrected.html", reason["corrected_on"]
        shown = {**_correction(reason), "is_first": is_first}
    change = reason["mahjic"]["rating_change"]
    title = _("Why {0} moved {1} on {2}") if change else _("Why {0} didn’t move on {2}")
    return ToldReason(
        title=title.format(isolated(name), shown_change(change, 2), shown_day(day)),
        change_id=reason["change_id"],
        template=template,
        is_named=name != reason["player_id"],
        shown={"name": name, "why": reason, **shown},
    )


def _round(reason: Why) -> Mapping[str, object]:
    sums = {
        pool: sum_of(reason, told) if told["counted"] else None
        for pool, told in (("mahjic", reason["mahjic"]), ("verified", reason["verified"]))
    }
    return {
        "sums": sums,
        "rule": rule_of(reason),
        "game_type": game_type_words(reason["game_type"]),
        "reason_words": reason_words,
    }


def _correction(reason: WhyCorrected) -> Mapping[str, object]:
    return {
        "done": correction_title(reason),
        "done_words": correction_words(reason),
        "tables": {pool: changed_rows(reason, pool) for pool in ("mahjic", "verified")},
    }


def _head(who: str, told: ToldReason) -> PageHead:
    return PageHead(
        title=told.title,
        description=_("The full sum behind one change of a rating, to the last digit."),
        path=_path(who, told.change_id),
        preview=f"/players/{who}/preview.png",
        indexed=told.is_named,
    )


def _path(who: str, change_id: str) -> str:
    return f"/players/{who}/changes/{change_id}"
