"""What players say about sessions of a source, for its own desk, and what they are answered."""

from collections.abc import Mapping, Sequence
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import hold_desk
from services.accounts.members.session_acts import note_session_act
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.desks.answers import label_of
from services.ingest.people.disputes import (
    AnswerTold,
    Dispute,
    NothingToDispute,
    UnknownDispute,
    answer_dispute,
    disputes_about,
    list_disputes,
)
from services.site.desk.sessions.recorded import AnswerRefused, DisputeAtDesk
from shared.answers.seen import called
from shared.seated import read_people

DISPUTES_AT_ONCE: Final = 50


async def disputes_at(
    connection: Connection,
    source: str,
    labels: Mapping[str, str],
    accounts: Accounts,
    *,
    is_all: bool,
    after: int,
) -> Sequence[DisputeAtDesk]:
    """Return disputes about a source's sessions, the oldest first."""
    now = accounts.chance.now()
    found: list[Dispute] = []
    for state in (None,) if is_all else ("with_staff", "open"):
        found += await list_disputes(
            connection, source=source, state=state, after=after, limit=DISPUTES_AT_ONCE, now=now
        )
    return await _shown(connection, source, labels, found)


async def disputes_on(
    connection: Connection,
    source: str,
    session_id: str,
    labels: Mapping[str, str],
    accounts: Accounts,
) -> Sequence[DisputeAtDesk]:
    """Return what players said about one session."""
    now = accounts.chance.now()
    found = await disputes_about(connection, session_id, source=source, now=now)
    return await _shown(connection, source, labels, found)


async def answer_at(
    accounts: Accounts,
    tell: AnswerTold,
    login: Login,
    source: str,
    *,
    session_id: str,
    number: int,
    text: str,
) -> None:
    """Answer a player as the source, and tell them; the same answer again is no news."""
    now = accounts.chance.now()

    async def answer(connection: Connection) -> None:
        answered = await answer_dispute(connection, number, text, by=source, now=now, tell=tell)
        if answered.session_id != session_id:
            raise UnknownDispute("Nobody says this about this session. Load its page again.")
        # After the person, whom being forgotten locks before their memberships.
        await hold_desk(connection, login, source)
        if answered.answered_at == now:
            await note_session_act(
                connection, source, session_id, "answered", by=login.account_id, at=now
            )

    try:
        await accounts.settled(answer)
    except NothingToDispute as refused:
        raise AnswerRefused(refused.detail) from None


async def _shown(
    connection: Connection, source: str, labels: Mapping[str, str], found: Sequence[Dispute]
) -> Sequence[DisputeAtDesk]:
    """Return disputes with the players as their club calls them."""
    seated = await read_people(
        connection.fetch, sorted({each.seated_as for each in found}), source=source
    )
    shown = []
    for each in found:
        someone = seated.get(each.seated_as)
        sent = None if someone is None else called(someone, "own")
        shown.append(
            DisputeAtDesk(
                each.number,
                each.session_id,
                each.session_date,
                label_of(sent, labels),
                each.state,
                each.said,
                each.said_at.date(),
                each.answer,
                each.resolved_by,
                each.newest,
            )
        )
    return shown
