"""The addresses of the staff desk, and the role that each needs: one row for each page."""

from typing import Final

from services.site.staff.acts import MOVED_ROUTES, acts_page
from services.site.staff.first_page import staff_page
from services.site.staff.staff_table import StaffPage, staff_route
from shared.http.routes import Route

STAFF_PAGES: Final[tuple[StaffPage, ...]] = (
    StaffPage("GET", "", staff_page, "reviewer"),
    StaffPage("GET", "/acts", acts_page, "reviewer"),
)

STAFF_ROUTES: Final[tuple[Route, ...]] = (*MOVED_ROUTES, *map(staff_route, STAFF_PAGES))
