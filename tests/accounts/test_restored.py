"""A restored backup knows the people, and nobody is logged in."""

from pathlib import Path

from services.accounts.logging_in.logins import find_login
from services.accounts.members.at_machine import add_member
from services.accounts.members.desks import role_at
from services.accounts.members.notices import MemberNotices
from services.accounts.own.passkeys import NewPasskey, add_passkey
from shared.db.backups.backup import LEFT_OUT, backup
from shared.db.backups.restore import restore
from shared.db.pool import open_pool
from shared.db.server.embedded import EmbeddedServer
from tests.accounts.members.sources import LAKESIDE, make_sources
from tests.accounts.people import ALICE, BEN, House
from tests.conftest import TEMPLATE, Database, fresh_database


async def test_logins_and_what_would_let_somebody_in_stay_behind(
    database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    house = House(database.pool)
    begun = await house.begin()
    login = await find_login(house.accounts, begun.token)
    assert login is not None
    await add_passkey(house.accounts, login, NewPasskey(b"credential", b"key", 0, "Phone"))
    await make_sources(house.pool)
    notices = MemberNotices.of(house.accounts)
    await add_member(
        house.pool, notices, LAKESIDE, ALICE, role="owner", chance=house.accounts.chance
    )
    await house.ask(BEN)
    for table in LEFT_OUT:
        if table != "passkey_challenges":
            assert await house.pool.fetchval(f"SELECT count(*) FROM mahjic.{table}")
    await backup(database.dsn, tmp_path / "b")
    async with fresh_database(postgres_server, template=TEMPLATE) as target:
        await target.pool.close()
        await restore(target.dsn, tmp_path / "b", replace=True)
        restored = House(await open_pool(target.dsn, application_name="mahjic tests", size_max=5))
        for table in LEFT_OUT:
            assert not await restored.pool.fetchval(f"SELECT count(*) FROM mahjic.{table}")
        assert await find_login(restored.accounts, begun.token) is None
        again = await restored.log_in(ALICE)
        assert again.account_id == login.account_id
        assert await restored.pool.fetchval("SELECT count(*) FROM mahjic.passkeys") == 1
        assert await role_at(restored.accounts, again, LAKESIDE) == "owner"
        await restored.pool.close()
