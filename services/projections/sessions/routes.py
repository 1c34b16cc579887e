"""The route by which a source looks its session up."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from services.projections.reading import ViewReader
from services.projections.sessions.queries import read_session
from shared.answers import SessionAnswer, session_answer
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.session_ids import SessionIdPath, UnknownSession
from shared.ids import is_session_id


def session_routes(reader: ViewReader) -> APIRouter:
    """Return the route that shows a session to those who may see it."""
    router = APIRouter(tags=["submit"])

    @router.get(
        "/v1/sessions/{session_id}",
        summary="Look a session up",
        response_model=None,
        responses={
            200: {"model": SessionAnswer},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    )
    async def get_session(
        request: Request,  # noqa: ARG001 - FastAPI reads the key from it.
        session_id: SessionIdPath,
        caller: Annotated[Caller, Depends(require("source", "operator", "auditor"))],
    ) -> Response:
        """Show a source its own session, with the ratings once they are there."""
        stored = await read_session(reader, session_id) if is_session_id(session_id) else None
        is_own = stored is not None and caller.source in {None, stored.source}
        if stored is None or not is_own:
            raise UnknownSession
        return private_json(session_answer(session_id, stored.status, stored.rated))

    return router
