"""The addresses of the desks, and the role that each needs: one row for each page."""

from typing import Final

from services.site.desk.at_desk import DESK_PATH
from services.site.desk.start import desk_page, own_desks
from services.site.desk.table import DeskPage, desk_route
from shared.http.routes import Route

DESK_PAGES: Final[tuple[DeskPage, ...]] = (DeskPage("GET", "", desk_page, "scorer"),)

DESK_ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", DESK_PATH, own_desks, ignores_unknown=True),
    *map(desk_route, DESK_PAGES),
)
