"""All addresses of the site."""

from typing import Final

from services.site.kit.well_known import WELL_KNOWN_ROUTES
from services.site.words.routes import WORDS_ROUTES
from shared.http.routes import Route

SITE_ROUTES: Final[tuple[Route, ...]] = (*WELL_KNOWN_ROUTES, *WORDS_ROUTES)
