"""Puts the routes that read together, for the wiring to serve."""

from collections.abc import Callable
from datetime import date

from fastapi import APIRouter

from services.projections.answering.reading import ViewReader
from services.projections.history.replays import Replays
from services.projections.history.routes import history_routes
from services.projections.leaderboards.routes import leaderboard_routes
from services.projections.log.routes import log_routes
from services.projections.profiles.routes import profile_routes
from services.projections.sessions.list_routes import session_list_routes
from services.projections.sessions.routes import session_routes
from services.projections.sessions.told import last_answered_on
from services.projections.sheets.routes import sheet_routes
from services.projections.sources.routes import source_routes
from shared.log.port import Log


def read_routes(
    reader: ViewReader,
    *,
    facts: Log,
    verdicts: Log,
    today_utc: Callable[[], date],
    replayed_rounds_max: int,
) -> APIRouter:
    """Return every route that reads; `today_utc` gives the date that activity is counted from.

    A history of more rounds is not replayed to say which of them a correction changed.
    """
    router = APIRouter()
    for routes in (
        profile_routes(reader),
        history_routes(reader, Replays(facts, rounds_max=replayed_rounds_max)),
        leaderboard_routes(reader, today_utc),
        source_routes(reader),
        session_list_routes(reader),
        session_routes(reader, last_answered_on(verdicts)),
        sheet_routes(reader),
        log_routes(facts=facts, verdicts=verdicts),
    ):
        router.include_router(routes)
    return router
