"""Takes sessions out and brings them back, as a source does by `/v1`, for a member of its desk."""

from collections.abc import Mapping
from typing import Any, Final

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import hold_desk
from services.accounts.members.session_acts import SessionActKind
from services.accounts.ports import Connection
from services.desks.answers import refusal_words
from services.desks.sending import WAIT_S, SendingPorts, correct_as_source
from services.ingest.changes.answering import Beside
from services.ingest.changes.changeable import (
    AlreadyCorrected,
    TooLateToChange,
    check_age,
    find_session,
    newest_of,
)
from services.ingest.changes.voids import Voiding, void_session
from services.ingest.record.judging.prints import key_print
from services.ingest.submit import RequestInProgress
from services.site.desk.sessions.recorded import ChangeRefused
from services.site.kit.words import _
from shared.answers.seen import ERASED, NOT_SHOWN
from shared.errors import MahjicError
from shared.events.facts import Reason

BACK_PATH: Final = "/desk/bring-back"
CORRECTED: Final = _("This session is corrected already. Change the correction instead.")
TOO_LATE: Final = _(
    "This session was sent more than {} days ago, so only our staff can change it now. Write to us."
)


async def take_out(
    ports: SendingPorts,
    login: Login,
    source: str,
    session_id: str,
    *,
    reason: Reason,
    note: str | None,
) -> None:
    """Void a session as the source; once voided, it stays as it was. Raises ChangeRefused."""
    beside = _held(ports, login, source, session_id, "voided")
    voiding = Voiding((session_id,), reason, note, source, beside=beside)
    try:
        await void_session(voiding, wait_s=WAIT_S, ports=ports.changing)
    except MahjicError as refused:
        raise _told(refused) from None


async def bring_back(
    ports: SendingPorts, login: Login, source: str, session_id: str, claim: Mapping[str, Any]
) -> str:
    """Correct a voided session with what it was, and return the session that stands there now.

    Raises ChangeRefused.
    """
    seats = [seat for played in claim["rounds"] for seat in played["players"]]
    if any(seat["email"] in {ERASED, NOT_SHOWN} for seat in seats):
        raise ChangeRefused(
            _(
                "Somebody in this session is no longer on record, or was never named by your "
                "club, so it can’t come back as it was. Correct it instead, and say who sat there."
            )
        )
    beside = _held(ports, login, source, session_id, "brought_back")
    own_key = key_print(source, "POST", BACK_PATH, session_id)
    asked = {**claim, "reason": "other"}
    try:
        told = await correct_as_source(
            ports, source, session_id, asked, own_key=own_key, beside=beside
        )
    except MahjicError as refused:
        raise _told(refused) from None
    return told.body["session_id"]


async def refusal_ahead(
    ports: SendingPorts, connection: Connection, source: str, session_id: str
) -> ChangeRefused | None:
    """Return why a source could not change a session now, None if it could.

    Only whoever changes it, with the head locked, knows for sure.
    """
    session = await find_session(connection, session_id, by=source)
    if session.status == "corrected":
        newest = await newest_of(connection, [session_id])
        return ChangeRefused(CORRECTED, newest=newest[session_id])
    days, now = ports.changing.days_max, ports.changing.ids_and_times.now()
    try:
        check_age(session, by=source, now=now, days_max=days)
    except TooLateToChange:
        return ChangeRefused(TOO_LATE.format(days))
    return None


def _held(
    ports: SendingPorts, login: Login, source: str, session_id: str, act: SessionActKind
) -> Beside:
    """Return what notes an act, and refuses it if its member was removed meanwhile."""
    note = ports.noting(source, session_id, act, login.account_id)

    async def hold_and_note(connection: Connection) -> None:
        await hold_desk(connection, login, source)
        await note(connection)

    return hold_and_note


def _told(refused: MahjicError) -> MahjicError:
    """Return a refusal in words for whoever sits at the desk; anything else as it is."""
    match refused:
        case AlreadyCorrected():
            return ChangeRefused(CORRECTED, newest=refused.extra.get("newest"))
        case TooLateToChange():
            return ChangeRefused(TOO_LATE.format(refused.extra["days_max"]))
        case RequestInProgress():
            return refused
    if refused.status in {409, 422}:
        return ChangeRefused(refusal_words(refused))
    return refused
