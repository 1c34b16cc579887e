"""The commands on staff: added, listed, reset and removed at the machine, all of it kept."""

from tests.cli.running import mahjic
from tests.conftest import Database


async def test_staff_are_added_listed_reset_and_removed(own_database: Database) -> None:
    added = await mahjic("staff", "add", "Alice@Example.com", "--role", "operator")
    assert added.exit_code == 0
    account = added.stdout.split()[0]
    head, row = (await mahjic("staff", "list")).rows
    assert head == ["account", "role", "addresses", "passkeys", "since"]
    assert row[:4] == [account, "operator", "alice@example.com", "0"]
    assert (await mahjic("staff", "reset", "alice@example.com")).exit_code == 0
    assert (await mahjic("staff", "remove", "alice@example.com")).exit_code == 0
    assert len((await mahjic("staff", "list")).rows) == 1
    acts = await own_database.pool.fetch("SELECT act FROM mahjic.staff_acts ORDER BY number")
    assert [each["act"] for each in acts] == [
        "make_operator",
        "list_staff",
        "reset_staff",
        "remove_staff",
        "list_staff",
    ]


async def test_what_is_wrong_is_told_without_repeating_it(own_database: Database) -> None:
    for command in ("reset", "remove"):
        ended = await mahjic("staff", command, "nobody@example.com")
        assert ended.exit_code == 1
        assert ended.stderr.startswith("not_staff: ")
        assert "nobody@example.com" not in ended.stderr
    ended = await mahjic("staff", "add", "not an address", "--role", "reviewer")
    assert ended.exit_code == 2
    assert ended.stderr.startswith("wrong_address: ")
    assert (await mahjic("staff", "add", "a@example.com", "--role", "king")).exit_code == 2
