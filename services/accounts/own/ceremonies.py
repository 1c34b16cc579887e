"""What a passkey signs to be added, or to log in: a challenge that is good once, for one browser.

WebAuthn (W3C, level 3) calls this a ceremony. Passkeys are discoverable, so nobody types who they
are, and the device always asks its owner (user verification).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, parse_client_data_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from services.accounts.logging_in.entering import Entrance
from services.accounts.logging_in.logins import (
    BegunLogin,
    Login,
    LoginKind,
    begin_login,
    hung_on_login,
)
from services.accounts.own.passkeys import NewPasskey, PasskeyRefused, check_may_add
from services.accounts.owners import LockedAccount, lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import TOKEN_BYTES, token_hash

GOOD_FOR: Final = timedelta(minutes=5)
RP_NAME: Final = "Mahjic"
# What a credential that a stranger made up can make its readers stumble over.
_UNREADABLE: Final = (
    WebAuthnException,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_NOT_ACCEPTED: Final = "This passkey wasn’t accepted. Try again, or log in by mail."
_VERIFIED: Final = UserVerificationRequirement.REQUIRED

CHALLENGE: Final = """
INSERT INTO mahjic.passkey_challenges (challenge, browser_hash, login_id, asked_at)
VALUES ($1, $2, $3, $4)
"""
SPEND: Final = """
DELETE FROM mahjic.passkey_challenges
WHERE challenge = $1 AND browser_hash = $2 AND login_id IS NOT DISTINCT FROM $3 AND asked_at > $4
RETURNING challenge
"""
READ_OWN: Final = """
SELECT accounts.passkey_handle,
    (
        SELECT min(address) FROM mahjic.addresses
        WHERE addresses.account_id = accounts.account_id
    ) AS address,
    ARRAY(
        SELECT credential_id FROM mahjic.passkeys
        WHERE passkeys.account_id = accounts.account_id
    ) AS known
FROM mahjic.accounts WHERE accounts.account_id = $1
"""
FIND_ACCOUNT: Final = "SELECT account_id FROM mahjic.passkeys WHERE credential_id = $1"
FIND: Final = """
SELECT public_key, sign_count, handle FROM mahjic.passkeys
WHERE credential_id = $1 AND account_id = $2
"""
NOTE_USE: Final = """
UPDATE mahjic.passkeys SET sign_count = $2, used_at = $3 WHERE credential_id = $1
"""


@dataclass(frozen=True, slots=True)
class PasskeyBrowser:
    """A browser at our site: the origin, whose host passkeys are bound to, and its token."""

    origin: str
    token: str

    @property
    def host(self) -> str:
        """The host of the origin (the RP id)."""
        host = urlsplit(self.origin).hostname
        assert host is not None
        return host


async def passkey_to_add(accounts: Accounts, login: Login, browser: PasskeyBrowser) -> str:
    """Return what a browser needs to make a passkey, as JSON. Raises LoginNotFresh and others."""
    challenge = accounts.chance.random_bytes(TOKEN_BYTES)

    async def begin(connection: Connection) -> asyncpg.Record:
        account = await lock_account(connection, login.account_id)
        if account is None:
            raise PasskeyRefused(_NOT_ACCEPTED)
        check_may_add(accounts, login, account)
        await _note_challenge(accounts, connection, challenge, browser, login.login_id)
        row = await connection.fetchrow(READ_OWN, login.account_id)
        assert row is not None
        return row

    own = await hung_on_login(accounts, begin)
    options = generate_registration_options(
        rp_id=browser.host,
        rp_name=RP_NAME,
        user_id=own["passkey_handle"],
        # Only the device that keeps the passkey shows it.
        user_name=own["address"] or RP_NAME,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            require_resident_key=True,
            user_verification=_VERIFIED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=each) for each in own["known"]],
    )
    return options_to_json(options)


async def read_new_passkey(
    accounts: Accounts,
    login: Login,
    browser: PasskeyBrowser,
    credential: Mapping[str, Any],
    name: str,
) -> NewPasskey:
    """Return the passkey that a browser made for a challenge of ours. Raises PasskeyRefused."""
    challenge = await spend_challenge(accounts, credential, browser, login.login_id)
    try:
        verified = verify_registration_response(
            credential=dict(credential),
            expected_challenge=challenge,
            expected_rp_id=browser.host,
            expected_origin=browser.origin,
            require_user_verification=True,
        )
    except _UNREADABLE:
        raise PasskeyRefused(_NOT_ACCEPTED) from None
    return NewPasskey(
        verified.credential_id, verified.credential_public_key, verified.sign_count, name
    )


async def passkey_to_log_in(accounts: Accounts, browser: PasskeyBrowser) -> str:
    """Return what a browser needs to log in with a passkey, as JSON."""
    challenge = accounts.chance.random_bytes(TOKEN_BYTES)
    await accounts.settled(lambda c: _note_challenge(accounts, c, challenge, browser, None))
    return options_to_json(
        generate_authentication_options(
            rp_id=browser.host, challenge=challenge, user_verification=_VERIFIED
        )
    )


async def log_in_by_passkey(
    accounts: Accounts,
    browser: PasskeyBrowser,
    credential: Mapping[str, Any],
    entrance: Entrance,
    leads_to: str,
) -> BegunLogin:
    """Log in with a passkey that signed a challenge of ours. Raises PasskeyRefused."""
    challenge = await spend_challenge(accounts, credential, browser, None)

    async def enter(connection: Connection) -> BegunLogin:
        account = await use_passkey(accounts, connection, credential, challenge, browser)
        kind: LoginKind = "staff" if account.is_staff else "person"
        token = await begin_login(
            accounts,
            connection,
            account.account_id,
            kind=kind,
            by_passkey=True,
            browser=entrance.browser,
            token_before=entrance.token_before,
        )
        return BegunLogin(token, kind, leads_to)

    return await accounts.settled(enter)


async def use_passkey(
    accounts: Accounts,
    connection: Connection,
    credential: Mapping[str, Any],
    challenge: bytes,
    browser: PasskeyBrowser,
) -> LockedAccount:
    """Return the account whose passkey signed a challenge, locked. Raises PasskeyRefused."""
    credential_id = _bytes_of(credential.get("id"))
    account_id = await connection.fetchval(FIND_ACCOUNT, credential_id)
    account = None if account_id is None else await lock_account(connection, account_id)
    # Read under the lock, so that of two uses at once the second sees the count of the first.
    row = await connection.fetchrow(FIND, credential_id, account_id)
    if account is None or row is None:
        raise PasskeyRefused(_NOT_ACCEPTED)
    try:
        verified = verify_authentication_response(
            credential=dict(credential),
            expected_challenge=challenge,
            expected_rp_id=browser.host,
            expected_origin=browser.origin,
            credential_public_key=row["public_key"],
            credential_current_sign_count=row["sign_count"],
            require_user_verification=True,
        )
    except _UNREADABLE:
        raise PasskeyRefused(_NOT_ACCEPTED) from None
    if _bytes_of(credential["response"].get("userHandle")) != row["handle"]:
        raise PasskeyRefused(_NOT_ACCEPTED)
    await connection.execute(
        NOTE_USE, credential_id, verified.new_sign_count, accounts.chance.now()
    )
    return account


async def _note_challenge(
    accounts: Accounts,
    connection: Connection,
    challenge: bytes,
    browser: PasskeyBrowser,
    login_id: str | None,
) -> None:
    await connection.execute(
        CHALLENGE, challenge, token_hash(browser.token), login_id, accounts.chance.now()
    )


async def spend_challenge(
    accounts: Accounts,
    credential: Mapping[str, Any],
    browser: PasskeyBrowser,
    login_id: str | None,
) -> bytes:
    """Use up the challenge that a credential says it signed; whatever comes of it, it is gone.

    Raises PasskeyRefused.
    """
    try:
        client_data = base64url_to_bytes(credential["response"]["clientDataJSON"])
        challenge = parse_client_data_json(client_data).challenge
    except _UNREADABLE:
        raise PasskeyRefused(_NOT_ACCEPTED) from None
    since = accounts.chance.now() - GOOD_FOR
    spent: bytes | None = await accounts.settled(
        lambda c: c.fetchval(SPEND, challenge, token_hash(browser.token), login_id, since)
    )
    if spent is None:
        raise PasskeyRefused("That took too long, or was sent twice. Try again.")
    return spent


def _bytes_of(text: object) -> bytes:
    try:
        return base64url_to_bytes(text) if isinstance(text, str) else b""
    except ValueError:
        return b""
