"""The commands on members: added, changed, listed and removed at the machine, all of it kept."""

from shared.access.sources import SourceDetails, add_source
from tests.cli.running import mahjic
from tests.conftest import Database
from tests.mail.letters import START


async def test_members_are_added_changed_listed_and_removed(own_database: Database) -> None:
    pool = own_database.pool
    await add_source(pool, "lakeside", SourceDetails("Lakeside Club", "club"), now=START)
    added = await mahjic("member", "add", "lakeside", "Alice@Example.com", "--role", "owner")
    assert added.exit_code == 0
    account = added.stdout.split()[0]
    assert (await mahjic("member", "add", "lakeside", "b@example.com", "--role", "scorer")).rows
    assert (await mahjic("member", "add", "lakeside", "b@example.com", "--role", "owner")).rows
    head, first, second = (await mahjic("member", "list", "lakeside")).rows
    assert head == ["source", "account", "role", "address", "since"]
    assert first[:4] == ["lakeside", account, "owner", "alice@example.com"]
    assert second[2:4] == ["owner", "b@example.com"]
    assert (await mahjic("member", "remove", "lakeside", "alice@example.com")).exit_code == 0
    last = await mahjic("member", "remove", "lakeside", "b@example.com")
    assert (last.exit_code, last.stderr.split()[0]) == (1, "last_owner:")
    assert len((await mahjic("member", "list")).rows) == 2
    acts = await pool.fetch("SELECT act, about FROM mahjic.staff_acts ORDER BY number")
    assert [each["act"] for each in acts] == [
        "make_owner",
        "make_scorer",
        "make_owner",
        "list_members",
        "remove_member",
        "list_members",
    ]
    assert acts[0]["about"] == ["lakeside", account]
    mails = await pool.fetch("SELECT address, kind FROM mahjic.mails ORDER BY number")
    assert {each["kind"] for each in mails} == {"members_changed"}
    assert {each["address"] for each in mails} == {"alice@example.com", "b@example.com"}


async def test_what_is_wrong_is_told_without_repeating_an_address(own_database: Database) -> None:
    await add_source(
        own_database.pool, "lakeside", SourceDetails("Lakeside Club", "club"), now=START
    )
    for arguments, code, exit_code in (
        (("add", "nowhere", "a@example.com", "--role", "owner"), "unknown_source", 1),
        (("add", "lakeside", "no address", "--role", "owner"), "wrong_address", 2),
        (("remove", "lakeside", "a@example.com"), "unknown_member", 1),
        (("list", "nowhere"), "unknown_source", 1),
    ):
        ended = await mahjic("member", *arguments)
        assert (ended.exit_code, ended.stderr.split(":")[0]) == (exit_code, code)
        assert "a@example.com" not in ended.stderr
    assert (await mahjic("member", "add", "lakeside", "a@b.org", "--role", "king")).exit_code == 2
