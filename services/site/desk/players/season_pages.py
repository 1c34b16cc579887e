"""The pages of a club's season: standings between two days, as page, paper and file; its board."""

from decimal import Decimal
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.seasons.answers import PresentRating
from services.site.desk.at_desk import AtDesk
from services.site.desk.players.club import ClubSeason, SeasonLine
from services.site.desk.players.span import Span, read_span, usual_spans
from services.site.desk.players.standings import (
    MEASURE_WORDS,
    MEASURES,
    Measure,
    file_rows,
    places_by,
    shown_beside,
    shown_measure,
    shows_changes,
    standings_of,
)
from services.site.kit.words import _
from services.site.login.door import lead_off
from shared.sheets.cells import BLANK, Cell, number_cell, text_cell
from shared.sheets.writing import csv_bytes

STANDINGS_TAB: Final = "/standings"
# More than any club has; a platform reads on in the file.
ROWS_SHOWN_MAX: Final = 500
FILE_TYPE: Final = "text/csv; charset=utf-8"


async def standings_page(request: Request, at: AtDesk) -> Response:
    """Show who stands where between two days; printed, it is the same without the links."""
    today = at.room.nights.today_of_clubs
    asked = read_span(request.query_params, today)
    season = await _season(at, asked)
    by = _ranked_by(asked, season)
    lines = season.lines or ()
    rows = standings_of(lines, by, with_private=asked.with_private)
    return at.page(
        "desk/players/standings.html",
        title=_("Standings"),
        tab=STANDINGS_TAB,
        status=422 if asked.wrong else 200,
        asked=asked,
        wrong=dict(asked.wrong),
        mistakes_made=asked.wrong,
        season=season,
        rows=rows[:ROWS_SHOWN_MAX],
        has_more=len(rows) > ROWS_SHOWN_MAX,
        shows_changes=shows_changes(rows),
        by=by,
        measures=[each for each in MEASURES if each != "points" or _has_points(season)],
        measure_words=MEASURE_WORDS,
        number=shown_measure,
        beside=shown_beside,
        usual=usual_spans(today),
        has_private=any(each.known_as == "private" for each in lines),
        is_reassigned=any(each.own.reassigned for each in lines),
    )


async def standings_file(request: Request, at: AtDesk) -> Response:
    """Answer with the standings as a file for a spreadsheet."""
    asked = read_span(request.query_params, at.room.nights.today_of_clubs)
    season = await _season(at, asked)
    if asked.wrong or season.lines is None:
        return lead_off(at.path(f"{STANDINGS_TAB}?{asked.query()}"))
    rows = standings_of(season.lines, _ranked_by(asked, season), with_private=asked.with_private)
    content = csv_bytes([[_cell(each) for each in line] for line in file_rows(rows)])
    name = f"standings-{at.desk.source}.csv"
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    return Response(content, media_type=FILE_TYPE, headers=headers)


async def board_page(_request: Request, at: AtDesk) -> Response:
    """Show the public players of a club by where they stand now, Verified or not."""
    season = await at.room.players.board(at.desk.source)
    standing = [(each, each.present) for each in season.lines or () if each.present is not None]
    standing.sort(key=_by_rating)
    places = places_by(
        [line for line, _present in standing],
        lambda line: None if line.present is None else line.present["rating_centi"],
    )
    return at.page(
        "desk/players/board.html",
        title=_("Your board"),
        tab=STANDINGS_TAB,
        season=season,
        standing=standing[:ROWS_SHOWN_MAX],
        has_more=len(standing) > ROWS_SHOWN_MAX,
        places=places,
    )


def _by_rating(standing: tuple[SeasonLine, PresentRating]) -> tuple[int, str, str]:
    line, present = standing
    return -present["rating_centi"], line.shown.casefold(), line.player_id


async def _season(at: AtDesk, asked: Span) -> ClubSeason:
    if asked.wrong:
        return ClubSeason(0, (), None)
    return await at.room.players.season(at.desk.source, *asked.days)


def _ranked_by(asked: Span, season: ClubSeason) -> Measure:
    """Return what standings are ranked by: without a wish by points, where there are any."""
    if asked.by is not None:
        return asked.by
    return "points" if _has_points(season) else "won"


def _has_points(season: ClubSeason) -> bool:
    return any(each.own.points_centi is not None for each in season.lines or ())


def _cell(value: str | Decimal | None) -> Cell:
    if value is None:
        return BLANK
    return text_cell(value) if isinstance(value, str) else number_cell(value)
