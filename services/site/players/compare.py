"""The pages that put two players side by side, and that choose whom to compare."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from services.projections.profiles.answers import FoundPlayer
from services.projections.together.answers import ExpectedScore, SideBySide
from services.site.charts.points import ChartLine
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.players.asked import Cursor, lead_on, survivors
from services.site.players.charted import figure_of, rating_line
from services.site.players.find import Search, Typed, searched, whole_id
from services.site.players.sums import percent_words
from services.site.players.told import game_type_words, isolated
from services.site.reads import PlayerReads, Reads
from shared.errors import UnknownPlayer
from shared.http.player_ids import PlayerIdPath, read_id
from shared.rating.expected import SCALE_CENTI
from shared.rating.registry import formula_named


@dataclass(frozen=True, slots=True)
class ComparedPlayer:
    """One of two players to compare: chosen, or still to be chosen from what a search found."""

    field: str
    search: Search
    player: FoundPlayer | None


async def choose_page(
    request: Request, site: Site, reads: Reads, one: Typed = "", other: Typed = ""
) -> Response:
    """Choose two players to compare, by name or Mahjic ID. Two whole ids lead on at once."""
    choices = [
        await _choice(reads.players, field, typed)
        for field, typed in (("one", one), ("other", other))
    ]
    chosen = [each.player["player_id"] for each in choices if each.player]
    is_same = len(chosen) == 2 and chosen[0] == chosen[1]
    if len(chosen) == 2 and not is_same:
        return lead_on("/compare/{}/{}".format(*chosen))
    head = PageHead(
        title=_("Compare two players"),
        description=_("Put two players of American Mahjong side by side: ratings and games."),
        path="/compare",
        indexed=not (one or other),
    )
    return site.page(
        request, "players/choose.html", head, current="find", choices=choices, is_same=is_same
    )


async def compare_page(
    request: Request,
    site: Site,
    reads: Reads,
    *,
    one_id: PlayerIdPath,
    other_id: PlayerIdPath,
    cursor: Cursor = None,
) -> Response:
    """Show two players side by side, with their games together."""
    one, other = read_id(one_id), read_id(other_id)
    if (one, other) != (one_id, other_id):
        return lead_on(f"/compare/{one}/{other}", request.url.query)
    if one == other:
        return lead_on("/compare", f"one={one}&other={one}")
    try:
        compared = await reads.players.comparison(one, other, cursor=cursor)
        lines = None if cursor else await _lines(reads.players, compared)
    except UnknownPlayer as unknown:
        one, other = await survivors(reads.players, [one, other], unknown)
        return lead_on(f"/compare/{one}/{other}")
    return site.page(
        request,
        "players/compare.html",
        _head(compared),
        one=compared["player"],
        other=compared["other"],
        compared=compared,
        lines=lines,
        figure_of=figure_of,
        told=_told(compared["expected"]),
        told_verified=_told(compared["expected_verified"]),
        leads=_leads(compared),
        game_type_words=game_type_words,
    )


async def _choice(players: PlayerReads, field: str, typed: str) -> ComparedPlayer:
    search = await searched(players, typed)
    player = None
    if search.found and whole_id(search):
        (player,) = search.found["players"]
    return ComparedPlayer(field, search, player)


async def _lines(players: PlayerReads, compared: SideBySide) -> Sequence[ChartLine]:
    """Return the lines of the charts of two players, one over the other."""
    return [
        rating_line(each["name"], await players.chart(each["player_id"]))
        for each in (compared["player"], compared["other"])
    ]


def _leads(compared: SideBySide) -> tuple[int, int | None] | None:
    """Return by how many hundredths the first is ahead, everywhere and among Verified players.

    The second is None unless both are Verified. There are none on a page of older rounds, and where
    the curve is not the one that browsers are given.
    """
    together = compared["together"]
    if together and not together["is_newest"]:
        return None
    if formula_named(compared["formula"]).rules.scale_centi != SCALE_CENTI:
        return None
    one, other = compared["player"], compared["other"]
    verified_centi = round(100 * (one["verified_rating"] - other["verified_rating"]))
    return (
        round(100 * (one["rating"] - other["rating"])),
        verified_centi if compared["expected_verified"] else None,
    )


def _told(expected: ExpectedScore | None) -> str:
    return percent_words(expected["one"]) if expected else ""


def _head(compared: SideBySide) -> PageHead:
    one, other = compared["player"], compared["other"]
    names = [isolated(each["name"]) for each in (one, other)]
    return PageHead(
        title=_("{} and {}").format(*names),
        description=_("{} and {} side by side: ratings, and their games together.").format(*names),
        path=f"/compare/{one['player_id']}/{other['player_id']}",
        indexed=all(each["name"] != each["player_id"] for each in (one, other)),
    )
