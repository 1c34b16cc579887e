"""All routes of the public log: what is served of it, what is proved by it, and the salts."""

from typing import Final

from services.transparency.proving.routes import PROOF_ROUTES
from services.transparency.proving.salt_routes import SALT_ROUTES
from services.transparency.routes import PUBLIC_LOG_ROUTES
from shared.http.routes import Route

TRANSPARENCY_ROUTES: Final[tuple[Route, ...]] = (*PUBLIC_LOG_ROUTES, *PROOF_ROUTES, *SALT_ROUTES)
