"""Collects the routes that read, for the wiring to serve."""

from typing import Final

from services.projections.history.routes import HISTORY_ROUTES
from services.projections.leaderboards.routes import LEADERBOARD_ROUTES
from services.projections.log.routes import LOG_ROUTES
from services.projections.profiles.routes import PROFILE_ROUTES
from services.projections.sessions.list_routes import SESSION_LIST_ROUTES
from services.projections.sessions.routes import SESSION_ROUTES
from services.projections.sessions.sheet_routes import SHEET_ROUTES
from services.projections.sources.routes import SOURCE_ROUTES

READ_ROUTES: Final = (
    *PROFILE_ROUTES,
    *HISTORY_ROUTES,
    *LEADERBOARD_ROUTES,
    *SOURCE_ROUTES,
    *SESSION_LIST_ROUTES,
    *SESSION_ROUTES,
    *SHEET_ROUTES,
    *LOG_ROUTES,
)
