"""Logging in by mail: from a link or a code that is spent to a login, or to why there is none."""

from dataclasses import dataclass

from services.accounts.logging_in.logins import BegunLogin, LoginKind, begin_login
from services.accounts.logging_in.proofs import (
    AddressProof,
    ProofGone,
    WrongCode,
    spend_code,
    spend_link,
)
from services.accounts.owners import LockedAccount, lock_or_make_owner
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.errors import MahjicError


class MailLoginOff(MahjicError):
    """This account is entered with a passkey only."""

    code = "passkey_needed"
    title = "This account is entered with a passkey"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "Logging in by mail is switched off for this account. Log in with your passkey."
        )


@dataclass(frozen=True, slots=True)
class Entrance:
    """The browser that enters: what it is, and the token of the login that it had before."""

    browser: str
    token_before: str | None


async def log_in_by_link(accounts: Accounts, link_token: str, entrance: Entrance) -> BegunLogin:
    """Use a link up, and log in the browser that pressed its button.

    Raises ProofGone or MailLoginOff.
    """

    async def enter(connection: Connection) -> BegunLogin | MailLoginOff:
        proof = await spend_link(accounts, connection, link_token)
        return await _enter(accounts, connection, proof, entrance)

    return _begun(await accounts.settled(enter))


async def log_in_by_code(
    accounts: Accounts, browser_token: str, typed: str, entrance: Entrance
) -> BegunLogin:
    """Use a code up, and log in the browser that asked for it.

    Raises ProofGone, WrongCode or MailLoginOff.
    """

    async def enter(connection: Connection) -> BegunLogin | MailLoginOff | WrongCode:
        proof = await spend_code(accounts, connection, browser_token, typed)
        if isinstance(proof, WrongCode):
            return proof
        return await _enter(accounts, connection, proof, entrance)

    return _begun(await accounts.settled(enter))


async def _enter(
    accounts: Accounts, connection: Connection, proof: AddressProof, entrance: Entrance
) -> BegunLogin | MailLoginOff:
    if proof.for_account is not None:
        # It adds an address to an account, and lets nobody in.
        raise ProofGone
    account = await lock_or_make_owner(accounts.chance, connection, proof.address, is_proved=True)
    if not _is_entered_by_mail(account):
        # Returned and not raised, so that the link is used up all the same.
        return MailLoginOff()
    kind: LoginKind = "first_passkey" if account.is_staff else "person"
    token = await begin_login(
        accounts,
        connection,
        account.account_id,
        kind=kind,
        by_passkey=False,
        browser=entrance.browser,
        token_before=entrance.token_before,
    )
    return BegunLogin(token, kind, proof.leads_to)


def _is_entered_by_mail(account: LockedAccount) -> bool:
    return not account.has_passkey if account.is_staff else account.mail_login


def _begun(found: BegunLogin | MahjicError) -> BegunLogin:
    if isinstance(found, MahjicError):
        raise found
    return found
