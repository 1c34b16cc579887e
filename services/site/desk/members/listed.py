"""The page of the members of a source, for its owners: who they are, and who is invited."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.accounts.members.changing import change_role, list_members, remove_member
from services.accounts.members.inviting import (
    AlreadyInvited,
    TooManyInvitations,
    invite_member,
    list_invited,
    withdraw_invitation,
)
from services.accounts.memberships import MemberRole
from services.accounts.owners import WrongAddress
from services.site.desk.at_desk import AtDesk
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.errors import MahjicError
from shared.http.browser.forms import read_form

MEMBERS_TAB: Final = "/members"
# What may be told on top of the page after something was done.
DONE: Final[Mapping[str, str]] = {
    "invited": _("Invited. The mail is on its way; the invitation is good for 30 days."),
    "withdrawn": _("The invitation is withdrawn. The link in the mail no longer works."),
    "changed": _("Changed, starting now, even on pages that they have open."),
    "removed": _(
        "Removed. They can no longer do anything here, even on pages that they have open."
    ),
}
SHOWN_ADDRESS_CHARACTERS_MAX: Final = 254


@dataclass(frozen=True, slots=True)
class TypedInvitation:
    """What was typed to invite somebody, and what was wrong with it."""

    address: str = ""
    role: MemberRole = "scorer"
    mistake: MahjicError | None = None


async def members_page(request: Request, at: AtDesk) -> Response:
    """Show who keeps the desk, and who is invited."""
    return await _members(at, done=DONE.get(request.query_params.get("done", ""), ""))


async def invite(request: Request, at: AtDesk) -> Response:
    """Invite somebody by an address."""
    form = await read_form(request)
    typed, role = form.get("email", ""), _role(form)
    try:
        await invite_member(at.room.door.accounts, at.login, at.desk.source, typed, role)
    except (WrongAddress, AlreadyInvited, TooManyInvitations, LoginNotFresh) as mistake:
        shown = typed[:SHOWN_ADDRESS_CHARACTERS_MAX]
        page = await _members(at, typed=TypedInvitation(shown, role, mistake))
        page.headers.update(mistake.headers)
        return page
    return _back(at, "invited")


async def withdraw(request: Request, at: AtDesk) -> Response:
    """Take an invitation back."""
    form = await read_form(request)
    accounts, invitation_id = at.room.door.accounts, form.get("invitation", "")
    await withdraw_invitation(accounts, at.login, at.desk.source, invitation_id)
    return _back(at, "withdrawn")


async def give_member_role(request: Request, at: AtDesk) -> Response:
    """Make a scorer an owner, or the other way round."""
    form = await read_form(request)
    accounts, account_id = at.room.door.accounts, form.get("member", "")
    await change_role(accounts, at.login, at.desk.source, account_id, _role(form))
    # Whoever made themselves a scorer sees this page no longer.
    return lead_to(at.path()) if _is_own(at, account_id) else _back(at, "changed")


async def remove(request: Request, at: AtDesk) -> Response:
    """Remove a member."""
    account_id = (await read_form(request)).get("member", "")
    if _is_own(at, account_id):
        return lead_to(at.path("/leave"))
    await remove_member(at.room.door.accounts, at.login, at.desk.source, account_id)
    return _back(at, "removed")


def _is_own(at: AtDesk, account_id: str) -> bool:
    return account_id == at.login.account_id


def _role(form: Mapping[str, str]) -> MemberRole:
    return "owner" if form.get("role") == "owner" else "scorer"


def _back(at: AtDesk, done: str) -> Response:
    return lead_to(at.path(f"{MEMBERS_TAB}?done={done}"))


async def _members(
    at: AtDesk, *, done: str = "", typed: TypedInvitation = TypedInvitation()
) -> Response:
    accounts, source = at.room.door.accounts, at.desk.source
    members = await list_members(accounts, at.login, source)
    return at.page(
        "desk/members/members.html",
        title=_("Who keeps score"),
        tab=MEMBERS_TAB,
        status=200 if typed.mistake is None else typed.mistake.status,
        members=members,
        invited=await list_invited(accounts, at.login, source),
        owners=sum(1 for each in members if each.role == "owner"),
        own_account=at.login.account_id,
        is_fresh=at.is_fresh,
        done=done,
        typed=typed,
        mistake="" if typed.mistake is None else typed.mistake.detail,
    )
