"""The page of a sandbox's visitors: a source and a key at once, and the mail that they caused."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.owners import WrongAddress
from services.sandbox.visiting import MadeSource, SandboxRoom, WantedSource
from services.site.boards.places import ONE_OF_SOURCE_TYPES
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.door import Door
from services.site.sandbox.visitors import SANDBOX_PATH, visitor_of
from shared.access.lookups import KeyOfOtherKind
from shared.access.sources import InvalidSource
from shared.http.browser.forms import read_form
from shared.http.routes import Route, handed_in
from shared.mail.causes import CausedMail

UNPROCESSABLE: Final = 422
TYPES: Final = {each: ONE_OF_SOURCE_TYPES[each] for each in ("club", "league", "platform")}

Sandbox: TypeAlias = Annotated[SandboxRoom, handed_in(SandboxRoom)]


async def sandbox_page(request: Request, site: Site, sandbox: Sandbox) -> Response:
    """Say what a sandbox is, and show a visitor what is theirs."""
    return await _page(request, site, sandbox)


async def make_source(request: Request, site: Site, sandbox: Sandbox, door: Door) -> Response:
    """Make a source, and show its key once."""
    form = await read_form(request)
    wanted = WantedSource(form.get("name", ""), form.get("type", ""), form.get("address", ""))
    try:
        made = await sandbox.make_source(visitor_of(request), door.network_of(request), wanted)
    except WrongAddress as refused:
        return await _page(request, site, sandbox, typed=form, wrong={"address": refused.detail})
    except InvalidSource as refused:
        wrong = {each.pointer.removeprefix("/"): each.message for each in refused.mistakes}
        return await _page(request, site, sandbox, typed=form, wrong=wrong)
    return await _page(request, site, sandbox, made=made)


async def show_mail_of_key(request: Request, site: Site, sandbox: Sandbox, door: Door) -> Response:
    """Show the mail that the keys of a source caused to whoever has one of them."""
    key = (await read_form(request)).get("key", "").strip()
    try:
        mails = await sandbox.mails_of_key(door.network_of(request), key)
    except KeyOfOtherKind as other:
        return await _page(request, site, sandbox, wrong={"key": other.detail})
    if mails is None:
        said = _("This is not the key of a source in this sandbox. Copy all of it, from mjt_ on.")
        return await _page(request, site, sandbox, wrong={"key": said})
    return await _page(request, site, sandbox, mails_of_key=mails)


async def _page(
    request: Request,
    site: SitePages,
    sandbox: SandboxRoom,
    *,
    typed: Mapping[str, str] | None = None,
    wrong: Mapping[str, str] | None = None,
    made: MadeSource | None = None,
    mails_of_key: Sequence[CausedMail] | None = None,
) -> Response:
    visitor = visitor_of(request)
    given = typed or {}
    return site.personal(
        "sandbox/sandbox.html",
        PageHead.unlisted(_("Sandbox")),
        status=UNPROCESSABLE if wrong else 200,
        typed={name: given.get(name, "") for name in ("name", "type", "address")},
        wrong=wrong or {},
        types=TYPES,
        made=made,
        sources=await sandbox.sources_of(visitor),
        mails=await sandbox.mails_of(visitor),
        mails_of_key=mails_of_key,
    )


SANDBOX_PAGES: Final = (
    Route("GET", SANDBOX_PATH, sandbox_page, ignores_unknown=True),
    Route("POST", f"{SANDBOX_PATH}/sources", make_source, ignores_unknown=True),
    Route("POST", f"{SANDBOX_PATH}/mail", show_mail_of_key, ignores_unknown=True),
)
