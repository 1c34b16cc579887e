"""The addresses that browsers and search engines look for on every site, and the files of pages."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import orjson
from fastapi import Path, Request
from starlette.responses import RedirectResponse, Response

from services.site.kit.pages import Site, takes_gzip
from services.site.kit.words import _
from shared.errors import NotFound
from shared.http.conditional import public_file
from shared.http.layers.paths import FILES_PATH
from shared.http.routes import Route

# A year, which RFC 9111 recommends for "forever": a file that changes has another name.
_FOREVER: Final = "public, max-age=31536000, immutable"
# These change with an update of the program, and are asked for once a visit.
MAX_AGE_S: Final = 3600
FILE_NAME_CHARACTERS_MAX: Final = 100
# How long what security.txt says may be relied on; RFC 9116 recommends less than a year.
SECURITY_DAYS: Final = 180
PLAIN_TEXT: Final = "text/plain; charset=utf-8"
SECURITY_PATH: Final = "/.well-known/security.txt"
MANIFEST_JSON: Final = "application/manifest+json"


async def site_file(
    request: Request, site: Site, name: Annotated[str, Path(max_length=FILE_NAME_CHARACTERS_MAX)]
) -> Response:
    """Answer with a style sheet, a script, a font or an icon."""
    found = site.files.find(name)
    if found is None:
        raise NotFound("There is no such file. Reload the page that asked for it.")
    headers = {"Cache-Control": _FOREVER}
    body = found.body
    if found.compressed is not None:
        headers["Vary"] = "Accept-Encoding"
        if takes_gzip(request):
            headers["Content-Encoding"] = "gzip"
            body = found.compressed
    return Response(body, media_type=found.media_type, headers=headers)


async def favicon(site: Site) -> Response:
    """Send the browsers that ask for the icon by its old name to the icon."""
    return RedirectResponse(
        site.files.address("icon-192.png"),
        status_code=302,
        headers={"Cache-Control": f"public, max-age={MAX_AGE_S}"},
    )


async def manifest(request: Request, site: Site) -> Response:
    """Tell a phone how the site looks on its home screen."""
    icons = [("icon-192.png", 192, "any"), ("icon-512.png", 512, "any")]
    icons.append(("icon-maskable-512.png", 512, "maskable"))
    told = {
        "id": "/",
        "name": "Mahjic",
        "short_name": "Mahjic",
        "description": _("The open rating for American Mahjong."),
        "lang": "en-US",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#faf6ec",
        "theme_color": "#083f2e",
        "icons": [
            {
                "src": site.files.address(name),
                "sizes": f"{pixels}x{pixels}",
                "type": "image/png",
                "purpose": purpose,
            }
            for name, pixels, purpose in icons
        ],
    }
    return public_file(request, orjson.dumps(told), MANIFEST_JSON, MAX_AGE_S)


async def robots(request: Request, site: Site) -> Response:
    """Tell search engines where to look: everywhere but the interface for programs."""
    text = f"User-agent: *\nDisallow: /v1/\nSitemap: {site.origin.url}/sitemap.xml\n"
    return public_file(request, text.encode(), PLAIN_TEXT, MAX_AGE_S)


async def security(request: Request, site: Site) -> Response:
    """Tell those who find a hole in the service whom to write to (RFC 9116)."""
    if site.contact is None:
        raise NotFound("The operator of this service gives no contact.")
    expires = datetime.now(UTC).date() + timedelta(days=SECURITY_DAYS)
    text = (
        f"Contact: {site.contact.href}\n"
        f"Expires: {expires}T00:00:00Z\n"
        "Preferred-Languages: en\n"
        f"Canonical: {site.origin.url}{SECURITY_PATH}\n"
    )
    return public_file(request, text.encode(), PLAIN_TEXT, MAX_AGE_S)


WELL_KNOWN_ROUTES: Final = (
    Route("GET", FILES_PATH + "{name}", site_file),
    Route("GET", "/favicon.ico", favicon),
    Route("GET", "/manifest.webmanifest", manifest),
    Route("GET", "/robots.txt", robots),
    Route("GET", SECURITY_PATH, security),
)
