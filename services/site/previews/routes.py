"""The addresses of previews: they show whom pages show, and no one else."""

from typing import Annotated, Final, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.projections.history.session_answers import SessionItem
from services.projections.profiles.answers import Profile
from services.site.boards.leaderboard import BoardName
from services.site.boards.places import REGIONS
from services.site.kit.words import _
from services.site.previews.painter import PreviewPainter
from services.site.previews.subjects import (
    BOARD_ROWS_MAX,
    BoardPreview,
    PlayerCard,
    PlayerPreview,
    Preview,
    PreviewRow,
    SitePreview,
    SourcePreview,
)
from services.site.reads import Reads
from shared.http.conditional import public_file
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.routes import Route, handed_in

# As long as a picture of someone may be shown after they became private.
MAX_AGE_S: Final = 300

Painter: TypeAlias = Annotated[PreviewPainter, handed_in(PreviewPainter)]


async def site_preview(request: Request, painter: Painter) -> Response:
    """Answer with the preview of Mahjic itself, for pages that have none of their own."""
    return await _answer(request, painter, SitePreview())


async def player_preview(
    request: Request, painter: Painter, reads: Reads, player_id: PlayerIdPath
) -> Response:
    """Answer with the preview of a player. Who is merged has none: their page leads to another."""
    who = read_id(player_id)
    profile = await reads.players.profile(who)
    sessions = await reads.players.sessions(who)
    preview = PlayerPreview(card_of(who, profile), _ratings(sessions["items"]))
    return await _answer(request, painter, preview)


def card_of(player_id: str, profile: Profile) -> PlayerCard:
    """Return what a card shows of a player."""
    return PlayerCard(
        player_id=player_id,
        name=profile["name"],
        rating=profile["rating"],
        band=profile["band"],
        place=profile["global_rank"],
        games=profile["games"],
    )


async def leaderboard_preview(request: Request, painter: Painter, reads: Reads) -> Response:
    """Answer with the preview of the global leaderboard."""
    return await _board(request, painter, reads, _("Leaderboard"), region=None)


async def region_preview(
    request: Request, painter: Painter, reads: Reads, region: BoardName
) -> Response:
    """Answer with the preview of the leaderboard of a region."""
    title = _("Leaderboard: {}").format(REGIONS.get(region, ""))
    return await _board(request, painter, reads, title, region=region)


async def source_preview(
    request: Request, painter: Painter, reads: Reads, slug: BoardName
) -> Response:
    """Answer with the preview of a source."""
    told = await reads.boards.source(slug)
    preview = SourcePreview(
        slug=told["slug"],
        name=told["name"],
        sessions=told["sessions"],
        games=told["games"],
        players=told["players"],
    )
    return await _answer(request, painter, preview)


async def _board(
    request: Request, painter: PreviewPainter, reads: Reads, title: str, *, region: str | None
) -> Response:
    answer = await reads.boards.leaderboard(region=region, limit=BOARD_ROWS_MAX)
    rows = [
        PreviewRow(each["place"], each["player_id"], each["name"], each["verified_rating"])
        for each in answer["board"]["players"]
    ]
    return await _answer(request, painter, BoardPreview(title, rows))


async def _answer(request: Request, painter: PreviewPainter, preview: Preview) -> Response:
    return public_file(request, await painter.png(preview), "image/png", MAX_AGE_S)


def _ratings(newest_first: list[SessionItem]) -> list[int]:
    """Return the ratings before and after what the player did, oldest first, in centi.

    What an id did before it was merged into this one has numbers of its own, and is left out.
    """
    own = [each["mahjic"] for each in reversed(newest_first) if each["played_as"] is None]
    if not own:
        return []
    return [
        round(rating * 100)
        for rating in (own[0]["rating_before"], *(each["rating_after"] for each in own))
    ]


PREVIEW_ROUTES: Final = (
    Route("GET", "/preview.png", site_preview, ignores_unknown=True),
    Route("GET", "/players/{player_id}/preview.png", player_preview, ignores_unknown=True),
    Route("GET", "/leaderboard/preview.png", leaderboard_preview, ignores_unknown=True),
    Route("GET", "/leaderboard/{region}/preview.png", region_preview, ignores_unknown=True),
    Route("GET", "/sources/{slug}/preview.png", source_preview, ignores_unknown=True),
)
