"""The commands on sources: what they write, and what they say about a mistake."""

import pytest

from shared.access.sources import list_sources
from tests.cli.running import mahjic
from tests.conftest import Database

HEAD = [
    "slug", "name", "type", "region", "limit_per_minute", "invitations", "points_sum", "state",
    "created",
]  # fmt: skip


async def test_a_source_added_is_listed_in_plain_columns(own_database: Database) -> None:
    added = await mahjic(
        "source", "add", "columbus", "--name", "Mah [bold]Jongg[/]", "--type", "club",
        "--region", "midwest",
    )  # fmt: skip
    await mahjic(
        "source", "add", "bam", "--name", "麻雀", "--type", "platform",
        "--limit-per-minute", "6000",
    )  # fmt: skip

    listed = await mahjic("source", "list")

    assert (added.exit_code, added.stdout) == (0, "The source columbus is added.\n")
    head, bam, columbus = listed.rows
    assert head == HEAD
    assert bam[:8] == ["bam", "麻雀", "platform", "-", "6000", "on", "zero", "active"]
    told = ["columbus", "Mah [bold]Jongg[/]", "club", "midwest", "-", "on", "zero", "active"]
    assert columbus[:8] == told
    assert "\x1b" not in listed.stdout


async def test_set_changes_what_it_names_and_nothing_else(own_database: Database) -> None:
    await mahjic(
        "source", "add", "columbus", "--name", "Old", "--type", "club", "--region", "west",
        "--limit-per-minute", "70",
    )  # fmt: skip

    assert (await mahjic("source", "set", "columbus", "--name", "New")).exit_code == 0
    assert (await mahjic("source", "list")).rows[1][1:5] == ["New", "club", "west", "70"]

    await mahjic("source", "set", "columbus", "--no-region", "--default-limit", "--type", "league")
    assert (await mahjic("source", "list")).rows[1][1:5] == ["New", "league", "-", "-"]


async def test_invitations_are_switched_off_and_on_and_nothing_else_with_them(
    own_database: Database,
) -> None:
    await mahjic("source", "add", "bam", "--name", "BAM", "--type", "club", "--no-invitations")
    assert (await mahjic("source", "list")).rows[1][4:8] == ["-", "off", "zero", "active"]
    await mahjic("source", "set", "bam", "--limit-per-minute", "7")
    assert (await mahjic("source", "list")).rows[1][4:8] == ["7", "off", "zero", "active"]
    await mahjic("source", "set", "bam", "--invitations")
    assert (await mahjic("source", "list")).rows[1][4:8] == ["7", "on", "zero", "active"]
    await mahjic("source", "set", "bam", "--name", "Bam")
    assert (await mahjic("source", "list")).rows[1][4:8] == ["7", "on", "zero", "active"]


async def test_what_points_sum_to_is_set_and_nothing_else_with_it(own_database: Database) -> None:
    await mahjic(
        "source", "add", "bam", "--name", "BAM", "--type", "club", "--points-sum", "any"
    )  # fmt: skip
    assert (await mahjic("source", "list")).rows[1][5:8] == ["on", "any", "active"]
    await mahjic("source", "set", "bam", "--no-invitations")
    assert (await mahjic("source", "list")).rows[1][5:8] == ["off", "any", "active"]
    await mahjic("source", "set", "bam", "--points-sum", "zero")
    assert (await mahjic("source", "list")).rows[1][5:8] == ["off", "zero", "active"]
    refused = await mahjic("source", "set", "bam", "--points-sum", "ten")
    assert refused.exit_code == 2


async def test_suspend_and_resume_are_seen_at_once(own_database: Database) -> None:
    await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "club")
    await mahjic("source", "suspend", "columbus")
    assert (await mahjic("source", "list")).rows[1][7] == "suspended"
    await mahjic("source", "resume", "columbus")
    assert (await mahjic("source", "list")).rows[1][7] == "active"


async def test_the_mistakes_in_a_source_are_told_in_lines_of_their_own(
    own_database: Database,
) -> None:
    ended = await mahjic(
        "source", "add", "Columbus!", "--name", "two\nlines", "--type", "club",
        "--limit-per-minute", "0",
    )  # fmt: skip
    assert (ended.exit_code, ended.stdout) == (1, "")
    first, *located = ended.stderr.splitlines()
    assert first.startswith("invalid_source: ")
    assert [line.split(": ")[0].strip() for line in located] == [
        "/slug",
        "/name",
        "/limit_per_minute",
    ]
    assert await list_sources(own_database.pool) == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("add", "columbus", "--name", "Again", "--type", "club"), "source_exists"),
        (("set", "nobody", "--name", "New"), "unknown_source"),
        (("suspend", "no body"), "unknown_source"),
        (("resume", "\udcff"), "unknown_source"),
    ],
)
async def test_a_mistake_is_told_by_its_code(
    own_database: Database, arguments: tuple[str, ...], code: str
) -> None:
    await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "club")
    ended = await mahjic("source", *arguments)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"{code}: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "columbus", "--name", "Columbus"),
        ("add", "columbus", "--name", "Columbus", "--type", "shop"),
        ("add", "columbus", "--name", "Columbus", "--type", "club", "--region", "atlantis"),
        ("set", "columbus"),
        ("set", "columbus", "--region", "west", "--no-region"),
        ("set", "columbus", "--limit-per-minute", "9", "--default-limit"),
    ],
)
async def test_arguments_that_make_no_sense_are_refused_before_anything_starts(
    arguments: tuple[str, ...],
) -> None:
    ended = await mahjic("source", *arguments)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "Usage: mahjic source" in ended.stderr


async def test_what_owners_wrote_about_a_source_is_taken_away(own_database: Database) -> None:
    for slug in ("bam", "columbus"):
        await mahjic("source", "add", slug, "--name", slug, "--type", "club")
    said = "UPDATE mahjic.sources SET site = 'https://example.org', about = 'Rude words.'"
    await own_database.pool.execute(said)
    assert (await mahjic("source", "set", "bam", "--no-profile")).exit_code == 0
    query = "SELECT slug, name, site, about FROM mahjic.sources ORDER BY slug"
    kept = [tuple(row) for row in await own_database.pool.fetch(query)]
    assert kept == [
        ("bam", "bam", None, None),
        ("columbus", "columbus", "https://example.org", "Rude words."),
    ]
