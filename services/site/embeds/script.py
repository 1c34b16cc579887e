"""The script that shows Mahjic on pages of others, under an address that never changes."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.files import MEDIA_TYPES
from services.site.kit.made import made_of
from services.site.kit.pages import Site, answer_shown
from shared.http.routes import Route

SCRIPT: Final = "embed.js"
# While the service is away, browsers go on with the script that they have, as long as it shows the
# last numbers.
_CACHING: Final = "public, max-age=3600, stale-while-revalidate=86400"


async def embed_script(request: Request, site: Site) -> Response:
    """Answer with the script."""
    made = made_of(site.files.file(SCRIPT).body)
    return answer_shown(request, made, MEDIA_TYPES[".js"], caching=_CACHING)


EMBED_SCRIPT: Final = (Route("GET", "/embed.js", embed_script, ignores_unknown=True),)
