"""Tells an applicant by mail where their application stands, in the transaction of the change."""

from typing import Final, Literal, TypeAlias

from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.applications.told import Application
from services.mail.writing.letters import application_letter

APPLICATION_PATH: Final = "/become-a-source/"
DESK_PATH: Final = "/desk/"

ToldState: TypeAlias = Literal["sent", "question", "approved", "declined"]


async def tell_applicant(
    accounts: Accounts,
    connection: Connection,
    application: Application,
    state: ToldState,
    *,
    said: str = "",
    source: str | None = None,
) -> None:
    """Queue the mail; `said` is the question, or why it was declined."""
    path = f"{APPLICATION_PATH}{application.application_id}"
    if source is not None:
        path = f"{DESK_PATH}{source}"
    letter = application_letter(
        application.text.address,
        state=state,
        organization=application.text.organization,
        said=said,
        url=f"{accounts.site_url()}{path}",
    )
    await accounts.outbox.queue(connection, letter)
