"""The page that shows how far the public log is signed, and checks one player in the browser."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import Query, Request
from starlette.responses import Response

from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.transparency.origins import LogOrigin
from services.transparency.public_logs import PublicLogs
from services.transparency.standing import read_ended, read_signed
from services.transparency.witnesses import read_witnesses
from shared.http.routes import Route, handed_in
from shared.ids import PLAYER_ID_CHARACTERS_MAX, MistypedPlayerIdError, read_player_id

PATH: Final = "/log"

Typed = Annotated[str, Query(max_length=PLAYER_ID_CHARACTERS_MAX)]
Public = Annotated[PublicLogs, handed_in(PublicLogs)]


async def public_log_page(
    request: Request, site: Site, public: Public, player: Typed = ""
) -> Response:
    """Show how far both logs are signed, and how to check that nobody is shown another history."""
    head = PageHead(
        title=_("The public log"),
        description=_(
            "Every result and every rating is on a log that is signed and never changed. Check a "
            "player here, or everything with one command."
        ),
        path=PATH,
        indexed=not player,
    )
    logs = None
    ended: Sequence[LogOrigin] = ()
    if public.is_there():
        witnesses = read_witnesses(public.witnesses)
        logs = await asyncio.to_thread(read_signed, public.there(), witnesses)
        ended = await asyncio.to_thread(read_ended, public.there())
    return site.page(
        request,
        "public_log/log.html",
        head,
        ended=ended,
        logs=logs,
        player=player,
        in_command=_is_id(player) and player,
    )


def _is_id(text: str) -> bool:
    """Return whether a text may stand in a command that people copy: an ID, and nothing else."""
    try:
        return read_player_id(text) == text
    except MistypedPlayerIdError:
        return False


LOG_PAGES: Final = (Route("GET", PATH, public_log_page, ignores_unknown=True),)
