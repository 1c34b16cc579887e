"""What staff do who approve an application: the source is made, and its owner, and the mail.

A person decides under which short name and name. What misleads is refused: a short name that is
taken or reserved, and a name like that of another source unless somebody says that they looked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.memberships import make_member
from services.accounts.owners import LockedAccount, lock_owner
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.applications.compared import find_in
from services.applications.deciding import (
    DECIDE,
    check_staff,
    note_on_application,
    open_application,
    sent_application,
)
from services.applications.reviewing.wanted import keep_review
from services.applications.slugs import RESERVED_WORDS, is_reserved
from services.applications.told import Application
from services.applications.writing import tell_applicant
from shared.access.sources import InvalidSource, SourceDetails, add_source
from shared.db.locks import APPROVAL_LOCK
from shared.errors import MahjicError, Mistake

# One at a time: of two clubs with one name, the second is compared with the first.
TAKE_TURN: Final = "SELECT pg_advisory_xact_lock($1)"


class NoOwner(MahjicError):
    """The applicant no longer has an account that could own the source."""

    code = "no_owner"
    title = "There is nobody to own the source"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "The applicant has taken their address off their account, so there is nobody to own "
            "the source. Decline it, or wait until they log in with it again."
        )


class LikeSource(MahjicError):
    """The name is like that of a source, and nobody said that they are two."""

    code = "like_source"
    title = "The name is like that of another source"
    status = 409

    def __init__(self, found: str, about: Sequence[str]) -> None:
        super().__init__(
            f"{found} Choose another name, or say that you looked and it is somebody else.",
            extra={"sources": list(about)},
        )


@dataclass(frozen=True, slots=True)
class Approval:
    """As what staff let an applicant in: the slug is theirs to choose."""

    slug: str
    details: SourceDetails
    # Somebody looked at the sources with a name like this one.
    is_told_apart: bool = False


async def approve_application(
    accounts: Accounts, login: Login, application_id: str, approval: Approval
) -> None:
    """Make the source and its owner, and tell the applicant: all of it, or nothing.

    Raises NotFound, LoginNotFresh, UnknownApplication, ApplicationSettled, NoOwner, InvalidSource,
    LikeSource or SourceExists.
    """
    check_staff(login)
    check_fresh(accounts, login)

    async def approve(connection: Connection) -> None:
        await connection.execute(TAKE_TURN, APPROVAL_LOCK)
        owner = await _lock_owner(connection, application_id)
        application = await open_application(connection, application_id)
        now, slug = accounts.chance.now(), approval.slug
        if is_reserved(slug):
            raise InvalidSource([Mistake("/slug", "invalid_slug", RESERVED_WORDS)])
        await _check_apart(connection, application, approval)
        await add_source(connection, slug, approval.details, now=now)
        address = application.text.address
        await make_member(connection, slug, owner.account_id, "owner", address=address, now=now)
        await connection.execute(DECIDE, application_id, "approved", now, None, slug)
        await keep_review(connection, application, "approved", now)
        about = [application_id, slug, owner.account_id]
        await note_on_application(accounts, connection, login, "approve_application", about)
        await tell_applicant(accounts, connection, application, "approved", source=slug)

    await accounts.settled(approve)


async def _check_apart(
    connection: Connection, application: Application, approval: Approval
) -> None:
    """Compare the name under which a source is made with all others. Raises LikeSource."""
    if approval.is_told_apart:
        return
    named = replace(application.text, organization=approval.details.name, wished_slug=approval.slug)
    found = {
        each.code: each for each in await find_in(connection, replace(application, text=named))
    }
    like = found.get("name_like_source")
    # Of one that is taken, that is told instead.
    if like is not None and "slug_taken" not in found:
        raise LikeSource(like.words, like.about)


async def _lock_owner(connection: Connection, application_id: str) -> LockedAccount:
    """Lock the applicant's account: first, as whoever is forgotten locks that first, too."""
    application = await sent_application(connection, application_id)
    owner = await lock_owner(connection, application.text.address)
    if owner is None:
        raise NoOwner
    return owner
