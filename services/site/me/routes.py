"""The addresses of the pages of one's own."""

from typing import Final

from services.site.me.card import CARD_PAGES
from services.site.me.choosing import CHOOSING_ROUTES
from services.site.me.dispute import DISPUTE_ROUTES
from services.site.me.download import DOWNLOAD_ROUTES
from services.site.me.forget import FORGET_ROUTES
from services.site.me.history import HISTORY_PAGES
from services.site.me.merge import MERGE_ROUTES
from services.site.me.own_page import OWN_PAGES
from services.site.me.verified.becoming import VERIFIED_ROUTES
from shared.http.routes import Route

ME_ROUTES: Final[tuple[Route, ...]] = (
    *OWN_PAGES,
    *HISTORY_PAGES,
    *CARD_PAGES,
    *CHOOSING_ROUTES,
    *DISPUTE_ROUTES,
    *MERGE_ROUTES,
    *VERIFIED_ROUTES,
    *DOWNLOAD_ROUTES,
    *FORGET_ROUTES,
)
