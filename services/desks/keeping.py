"""Keeps a sheet as it was uploaded or mended, apart from what somebody else mended meanwhile."""

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import settled_at
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.desks.drafts import (
    SHEETS_MAX,
    TypedDraft,
    count_sheets,
    read_draft,
    write_draft,
)
from services.site.desk.night.nights import UnknownDraft
from services.site.desk.sheet.sheets import TooManySheets


async def keep_sheet(
    accounts: Accounts,
    login: Login,
    source: str,
    draft_id: str,
    typed: TypedDraft,
    *,
    version: int | None,
) -> str | None:
    """Keep a sheet; return under which id, or None if it can no longer be changed.

    That is another id if somebody else has changed it since `version`, which is None for a file:
    that takes the place of what was there. Raises UnknownDesk, UnknownDraft or TooManySheets.
    """

    async def write(connection: Connection) -> str | None:
        at, kept = draft_id, await read_draft(connection, source, draft_id, locked=True)
        if kept is not None and kept.state != "open":
            return None
        # It is gone because somebody in it was forgotten, or it is a night that is typed.
        if version is not None if kept is None else kept.sheet is None:
            raise UnknownDraft
        if kept is not None and kept.sheet == typed.sheet:
            return draft_id
        if kept is not None and version not in {None, kept.version}:
            at = accounts.chance.new_id("nid")
        is_more = kept is None or at != draft_id
        if is_more and await count_sheets(connection, source) >= SHEETS_MAX:
            raise TooManySheets(SHEETS_MAX)
        now = accounts.chance.now()
        await write_draft(connection, source, at, login.account_id, typed, now=now)
        return at

    return await settled_at(accounts, login, source, write)
