"""What is kept about somebody is shown to them and erased with them; the hash alone stays."""

from services.ingest.players.grouped import WholePerson
from services.invitations.kept import invitation_sections
from tests.invitations.town import HASHES, Town

HOLDS_ID = "SELECT count(*) FROM mahjic.{table} WHERE player_id = $1"
TABLES = ("awaited_invitations", "invitations", "summaries")


async def kept_of(town: Town, player_id: str) -> int:
    found = [await town.pool.fetchval(HOLDS_ID.format(table=table), player_id) for table in TABLES]
    return sum(found)


async def test_nothing_of_the_forgotten_is_left_but_that_their_address_was_invited(
    town: Town,
) -> None:
    await town.night("ada", "bo")
    assert len(await town.invited()) == 2
    ada = await town.player("ada")
    await town.pool.execute(
        "INSERT INTO mahjic.summaries VALUES ($1, 'a-club', now(), 'mail_1', true, now())", ada
    )
    await town.night("ada", "bo")
    await town.pool.execute("INSERT INTO mahjic.awaited_invitations VALUES ($1, now())", ada)
    assert await kept_of(town, ada) == 3
    await town.forget("ada")
    assert await kept_of(town, ada) == 0
    address_hash = HASHES.of(town.address("ada"))
    rows = await town.pool.fetch("SELECT address_hash FROM mahjic.invited_addresses")
    assert address_hash in {row["address_hash"] for row in rows}
    noted = await town.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert set(TABLES) <= {row["table_name"] for row in noted}


async def test_a_download_shows_each_mail_and_nobody_elses(town: Town) -> None:
    session_id = await town.night("ada", "bo", days_ago=2)
    await town.invited()
    ada, bo = await town.player("ada"), await town.player("bo")
    sections = {each.name: each for each in invitation_sections(town.pool)}
    assert sections.keys() == {"invitations", "summaries"}
    person = WholePerson([ada], [town.address("ada")])
    told = [each async for each in sections["invitations"].about(person)]
    assert [(each["player_id"], each["session_id"], each["source"]) for each in told] == [
        (ada, session_id, "a-club")
    ]
    assert told[0]["said_not_me_at"] is None
    assert not [each async for each in sections["summaries"].about(person)]
    assert bo not in repr(told)
    assert "hash" not in repr(told)
