"""The page of the keys of a source, for its owners: what there is, a new one, and an end to one.

A new key is in the answer to its form, which nobody keeps, and never shown again.
"""

from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.accounts.members.keys import (
    NAME_CHARACTERS_MAX,
    KeyNotMade,
    list_desk_keys,
    make_desk_key,
    revoke_desk_key,
)
from services.site.desk.at_desk import AtDesk
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.access.keys import new_key_id
from shared.http.browser.forms import read_form

KEYS_TAB: Final = "/keys"
DONE: Final[Mapping[str, str]] = {
    "revoked": _("Revoked. Programs that use it can no longer send anything."),
}


async def keys_page(request: Request, at: AtDesk) -> Response:
    """Show all keys, and a form for a new one."""
    return await _keys(at, done=DONE.get(request.query_params.get("done", ""), ""))


async def make_key(request: Request, at: AtDesk) -> Response:
    """Make a key, and show it this once."""
    form = await read_form(request)
    key_id, typed = form.get("key", ""), form.get("name", "")
    accounts = at.room.door.accounts
    try:
        made = await make_desk_key(accounts, at.login, at.desk.source, key_id, typed)
    except (KeyNotMade, LoginNotFresh) as mistake:
        shown = typed[: 5 * NAME_CHARACTERS_MAX]
        return await _keys(at, typed=shown, mistake=mistake.detail, status=mistake.status)
    return at.page(
        "desk/keys/made.html",
        title=_("Your new key"),
        tab=KEYS_TAB,
        text=made.text,
        is_new=made.is_new,
        key_id=key_id,
    )


async def revoke_key(request: Request, at: AtDesk) -> Response:
    """Refuse a key from now on."""
    key_id = (await read_form(request)).get("key", "")
    await revoke_desk_key(at.room.door.accounts, at.login, at.desk.source, key_id)
    return lead_to(at.path(f"{KEYS_TAB}?done=revoked"))


async def _keys(
    at: AtDesk, *, done: str = "", typed: str = "", mistake: str = "", status: int = 200
) -> Response:
    keys = await list_desk_keys(at.room.door.accounts, at.login, at.desk.source)
    return at.page(
        "desk/keys/keys.html",
        title=_("Keys for programs"),
        tab=KEYS_TAB,
        status=status,
        working=[each for each in keys if each.revoked_at is None],
        revoked=[each for each in keys if each.revoked_at is not None],
        new_key_id=new_key_id(),
        name_characters_max=NAME_CHARACTERS_MAX,
        is_fresh=at.is_fresh,
        done=done,
        typed=typed,
        mistake=mistake,
    )
