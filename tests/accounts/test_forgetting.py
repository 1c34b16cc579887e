"""No table of accounts knows anything anymore of somebody who is forgotten."""

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import find_login
from services.accounts.own.passkeys import NewPasskey, add_passkey
from tests.accounts.people import ALICE, BEN, House

OTHER = "alice@work.example.com"


async def test_account_addresses_logins_passkeys_proofs_and_mails_are_gone(house: House) -> None:
    login = await house.log_in(ALICE)
    begun = await house.begin(ALICE)
    await add_passkey(house.accounts, login, NewPasskey(b"credential", b"key", 0, "Alice’s"))
    await house.pool.execute(
        "INSERT INTO mahjic.addresses VALUES ($1, $2, now())", OTHER, login.account_id
    )
    await house.ask(OTHER)
    await house.ask("new@example.com", for_account=login.account_id)
    theirs = await house.begin(BEN)
    async with house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])
    tables = ("accounts", "addresses", "address_proofs", "logins", "passkeys", "mails")
    for table in tables:
        rows = await house.pool.fetch(f"SELECT * FROM mahjic.{table}")
        kept = repr([tuple(row) for row in rows])
        for word in (ALICE, OTHER, login.account_id, "Alice’s"):
            assert word not in kept, table
    assert await find_login(house.accounts, begun.token) is None
    assert await find_login(house.accounts, theirs.token) is not None
    noted = await house.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert {"addresses", "address_proofs", "passkeys", "mails"} <= {row[0] for row in noted}


async def test_someone_without_an_account_has_nothing_to_erase(house: House) -> None:
    await house.log_in(BEN)
    async with house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])
        await erase_accounts(connection, [])
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.accounts") == 1
