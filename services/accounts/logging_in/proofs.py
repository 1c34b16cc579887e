"""Proofs of an address: a mail with a link and a code, each good for 15 minutes and one use.

Asking never looks at who has an account, so the answer can't tell, not even by its time. Looking at
a link spends nothing: mail scanners open every link. Whoever spends a proof deletes its row, so of
two at once one gets it.
"""

import hmac
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import asyncpg

from services.accounts.logging_in.limits import take_mail
from services.accounts.logging_in.logins import hung_on_login
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.spans import PROOF_MINUTES
from services.accounts.tokens import (
    CODE_BYTES,
    code_hash,
    code_of,
    is_token,
    read_code,
    shown_code,
    token_hash,
)
from services.mail.waits import PROOF_GOOD_FOR
from services.mail.writing.letters import proof_letter
from shared.db.erasing import note_erased
from shared.errors import MahjicError

GOOD_FOR: Final = PROOF_GOOD_FOR
WRONG_CODES_MAX: Final = 5
LINK_PATH: Final = "/login/link/"
# Told apart from addresses in the table of mails asked for.
_NETWORK: Final = "network "

# A browser has one proof: asking again ends the one before, and no other browser's.
ASK: Final = """
INSERT INTO mahjic.address_proofs
    (browser_hash, link_hash, code_hash, address, for_account, leads_to, asked_from, asked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (browser_hash) DO UPDATE SET
    link_hash = excluded.link_hash, code_hash = excluded.code_hash, address = excluded.address,
    for_account = excluded.for_account, leads_to = excluded.leads_to,
    asked_from = excluded.asked_from, asked_at = excluded.asked_at, wrong_codes = 0
"""
LOOK_BY_LINK: Final = """
SELECT address, for_account, leads_to, asked_from, asked_at, wrong_codes
FROM mahjic.address_proofs WHERE link_hash = $1 AND asked_at > $2
"""
LOOK_BY_BROWSER: Final = """
SELECT address, for_account, leads_to, asked_from, asked_at, wrong_codes
FROM mahjic.address_proofs WHERE browser_hash = $1 AND asked_at > $2
"""
SPEND_LINK: Final = """
DELETE FROM mahjic.address_proofs WHERE link_hash = $1 AND asked_at > $2
RETURNING address, for_account, leads_to, asked_from, asked_at, wrong_codes
"""
LOCK_FOR_CODE: Final = """
SELECT code_hash, address, for_account, leads_to, asked_from, asked_at, wrong_codes
FROM mahjic.address_proofs WHERE browser_hash = $1 AND asked_at > $2 FOR UPDATE
"""
COUNT_WRONG: Final = """
UPDATE mahjic.address_proofs SET wrong_codes = wrong_codes + 1 WHERE browser_hash = $1
"""
END: Final = "DELETE FROM mahjic.address_proofs WHERE browser_hash = $1"


class ProofGone(MahjicError):
    """A link or code that was used, is too old, or was replaced by a newer one."""

    code = "proof_gone"
    title = "This link or code is no longer good"
    status = 410

    def __init__(self) -> None:
        super().__init__(
            f"It was used already, is older than {PROOF_MINUTES} minutes, or a newer one took its "
            "place. Ask for a new one."
        )


class WrongCode(MahjicError):
    """A code that is not the one in the mail."""

    code = "wrong_code"
    title = "That is not the code in the mail"
    status = 422

    def __init__(self, left: int) -> None:
        tries = "one more try" if left == 1 else f"{left} more tries"
        super().__init__(
            f"That isn’t the code in the mail. Check each character; you have {tries}."
            if left
            else "That isn’t the code in the mail, and it was the last try. Ask for a new one."
        )
        self.left = left


@dataclass(frozen=True, slots=True)
class AddressProof:
    """What a proof is for: to log in, or to add an address to an account."""

    address: str
    for_account: str | None
    leads_to: str
    asked_from: str
    age: timedelta


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks to prove an address: which browser, from which network, to get where."""

    address: str
    browser_token: str
    browser: str
    network: str
    leads_to: str
    for_account: str | None = None
    # To send an application, which is told in the mail.
    is_to_apply: bool = False


async def ask_for_proof(accounts: Accounts, asking: Asking) -> None:
    """Have a link and a code mailed. Raises TooManyMails, and NotLoggedIn without the account.

    The work is the same whoever the address belongs to.
    """
    chance, now = accounts.chance, accounts.chance.now()
    link_token, code = chance.new_token(), code_of(chance.random_bytes(CODE_BYTES))
    letter = proof_letter(
        asking.address,
        url=f"{accounts.site_url()}{LINK_PATH}{link_token}",
        code=shown_code(code),
        asked_from=asking.browser,
        is_to_add=asking.for_account is not None,
        is_to_apply=asking.is_to_apply,
    )

    async def ask(connection: Connection) -> None:
        await take_mail(
            connection,
            address_key=accounts.counted_as(asking.address),
            network_key=accounts.counted_as(_NETWORK + asking.network),
            now=now,
        )
        await connection.execute(
            ASK,
            token_hash(asking.browser_token),
            token_hash(link_token),
            code_hash(code, asking.browser_token),
            asking.address,
            asking.for_account,
            asking.leads_to,
            asking.browser,
            now,
        )
        await note_erased(connection, "address_proofs")
        await accounts.outbox.queue(connection, letter)

    await hung_on_login(accounts, ask)


async def look_at_link(accounts: Accounts, link_token: str) -> AddressProof:
    """Return what a link is for, and leave it as it is. Raises ProofGone."""
    if not is_token(link_token):
        raise ProofGone
    return await _look(accounts, LOOK_BY_LINK, token_hash(link_token))


async def look_at_asked(accounts: Accounts, browser_token: str) -> AddressProof:
    """Return what this browser asked for last. Raises ProofGone."""
    return await _look(accounts, LOOK_BY_BROWSER, token_hash(browser_token))


async def spend_link(accounts: Accounts, connection: Connection, link_token: str) -> AddressProof:
    """Use a link up, in the open transaction. Raises ProofGone."""
    if not is_token(link_token):
        raise ProofGone
    now = accounts.chance.now()
    row = await connection.fetchrow(SPEND_LINK, token_hash(link_token), now - GOOD_FOR)
    if row is None:
        raise ProofGone
    await note_erased(connection, "address_proofs")
    return _proof(row, now - row["asked_at"])


async def spend_code(
    accounts: Accounts, connection: Connection, browser_token: str, typed: str
) -> AddressProof | WrongCode:
    """Use up the code of the browser that asked for it, or count a wrong one.

    A wrong one is returned, since a raised error would undo its count. Raises ProofGone.
    """
    now, browser_hash = accounts.chance.now(), token_hash(browser_token)
    row = await connection.fetchrow(LOCK_FOR_CODE, browser_hash, now - GOOD_FOR)
    if row is None:
        raise ProofGone
    code = read_code(typed)
    is_right = code is not None and hmac.compare_digest(
        row["code_hash"], code_hash(code, browser_token)
    )
    left = WRONG_CODES_MAX - row["wrong_codes"] - 1
    if is_right or left == 0:
        await connection.execute(END, browser_hash)
        await note_erased(connection, "address_proofs")
    else:
        await connection.execute(COUNT_WRONG, browser_hash)
    return _proof(row, now - row["asked_at"]) if is_right else WrongCode(left)


async def _look(accounts: Accounts, statement: str, key: bytes) -> AddressProof:
    now = accounts.chance.now()
    row = await accounts.settled(lambda c: c.fetchrow(statement, key, now - GOOD_FOR))
    if row is None:
        raise ProofGone
    return _proof(row, now - row["asked_at"])


def _proof(row: asyncpg.Record, age: timedelta) -> AddressProof:
    return AddressProof(row["address"], row["for_account"], row["leads_to"], row["asked_from"], age)
