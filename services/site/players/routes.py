"""The addresses of the pages about players."""

from typing import Final

from services.site.players.compare import choose_page, compare_page
from services.site.players.find import find_page
from services.site.players.profile import chart_page, player_page
from services.site.players.why import why_page
from shared.http.routes import Route

PLAYER_PAGE_ROUTES: Final = (
    Route("GET", "/find", find_page, ignores_unknown=True),
    Route("GET", "/players/{player_id}", player_page, ignores_unknown=True),
    Route("GET", "/players/{player_id}/chart", chart_page, ignores_unknown=True),
    Route("GET", "/players/{player_id}/changes/{change_id}", why_page, ignores_unknown=True),
    Route("GET", "/compare", choose_page, ignores_unknown=True),
    Route("GET", "/compare/{one_id}/{other_id}", compare_page, ignores_unknown=True),
)
