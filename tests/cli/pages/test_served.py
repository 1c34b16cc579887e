"""The commands against a service that really runs: what they do is seen there at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.running import Ended, mahjic
from tests.conftest import Database
from tests.processes import Served, serving

# Four new players at 1500: expected 0.5 and K 32 against each, so 3 x 16 up for the winner of all,
# 16 down for who loses to one and draws with two; the table adds up to zero.
NIGHT = {
    "session_date": "2026-01-31",
    "game_type": "social",
    "rounds": [
        {
            "players": [
                {"email": "ada@example.com", "games_played": 4, "mahjongs": 3},
                {"email": "PRIVATE:bo@example.com", "games_played": 4, "mahjongs": 0},
                {"email": "ANON:Cy", "games_played": 4, "mahjongs": 0},
                {"email": "di@example.com", "games_played": 4, "mahjongs": 0},
            ],
            "wall_games": 1,
        }
    ],
}


@asynccontextmanager
async def a_club_served(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Served, str]]:
    """Run a service for a club whose key the commands use, and give both."""
    async with serving({"MAHJIC_DATABASE_URL": database.dsn}) as served:
        await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "club")
        key = (await mahjic("key", "create", "columbus")).stdout.strip()
        monkeypatch.setenv("MAHJIC_URL", served.url)
        monkeypatch.setenv("MAHJIC_KEY", key)
        yield served, key


async def test_a_source_submits_until_the_operator_says_no(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "night.json"
    file.write_text(json.dumps(NIGHT))
    async with a_club_served(own_database, monkeypatch) as (served, key):
        submitted = await mahjic("submit", str(file))
        again = await mahjic("submit", str(file))

        assert submitted.exit_code == 0
        moved = [(row[0], row[3], row[4]) for row in submitted.rows[1:]]
        assert moved == [
            ("ada@example.com", "1548.00", "+48.00"),
            ("PRIVATE:bo@example.com", "1484.00", "-16.00"),
            ("ANON:Cy", "1484.00", "-16.00"),
            ("di@example.com", "1484.00", "-16.00"),
        ]
        assert (again.exit_code, again.stdout) == (0, submitted.stdout)
        assert await own_database.pool.fetchval("SELECT count(*) FROM mahjic.submissions") == 1

        await mahjic("source", "suspend", "columbus")
        suspended = await mahjic("submit", str(file))
        await mahjic("source", "resume", "columbus")
        await mahjic("key", "revoke", (await mahjic("key", "list")).rows[1][0])
        revoked = await mahjic("submit", str(file))

    assert (suspended.exit_code, suspended.stdout) == (1, "")
    assert suspended.stderr.startswith("source_suspended: ")
    assert (revoked.exit_code, revoked.stdout) == (1, "")
    assert revoked.stderr.startswith("not_authenticated: ")
    assert key not in served.log + submitted.stderr + suspended.stderr + revoked.stderr


async def test_mistakes_in_a_claim_are_all_told_with_their_places(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "night.json"
    file.write_text('{"session_date": "2026-02-30", "game_type": "poker", "rounds": []}')
    broken = tmp_path / "broken.json"
    broken.write_text('{"session_date": ')
    async with a_club_served(own_database, monkeypatch):
        refused = await mahjic("submit", str(file))
        unreadable = await mahjic("submit", str(broken))

    assert (refused.exit_code, refused.stdout) == (1, "")
    places = [line.split(":")[0].strip() for line in refused.stderr.splitlines()[1:]]
    assert sorted(places) == ["/game_type", "/rounds", "/session_date"]
    assert (unreadable.exit_code, unreadable.stdout) == (1, "")
    assert unreadable.stderr.startswith("malformed_json: ")


async def test_a_reader_sees_who_leads_and_why(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "night.json"
    file.write_text(json.dumps(NIGHT))
    later = {**NIGHT, "session_date": "2026-02-07", "rounds": [a_match(ada=7, di=5)]}
    (tmp_path / "match.json").write_text(json.dumps(later))
    async with a_club_served(own_database, monkeypatch) as (served, _):
        operator = (await mahjic("key", "create", "--operator")).stdout.strip()

        ids = {row[0]: row[1] for row in (await mahjic("submit", str(file))).rows[1:]}
        ada, di = ids["ada@example.com"], ids["di@example.com"]
        await verify(served.url, operator, ada, di)
        await mahjic("submit", str(tmp_path / "match.json"))

        board = await once_it_has_lines(3, "leaderboard")
        player = await mahjic("player", ada, "--chart")
        change_id = player.rows[-2][4]
        why = await mahjic("why", change_id)
        hidden = await mahjic("player", ids["PRIVATE:bo@example.com"])

    # K 32, both at 1500 in the verified pool: 16 points for the match.
    assert [(row[0], row[2], row[3]) for row in board.rows[1:]] == [
        ("1", ada, "1516.00"),
        ("2", di, "1484.00"),
    ]
    assert ["games", "16"] in player.rows
    assert player.stdout.count("┤") == 10
    opponent, total, rounding, change = [row for row in why.rows if row[0] == "verified"]
    assert (opponent[1], opponent[7]) == (di, "+16.000000000")
    assert total[7] == change[7] == "+16.000000000"
    assert rounding[7] == "+0.000000000"
    assert (hidden.exit_code, hidden.stdout) == (1, "")
    assert hidden.stderr.startswith("unknown_player: ")


async def test_a_voided_night_is_explained_by_the_rounds_whose_numbers_changed(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "night.json").write_text(json.dumps(NIGHT))
    later = {**NIGHT, "session_date": "2026-02-07", "rounds": [a_match(ada=7, di=5)]}
    (tmp_path / "match.json").write_text(json.dumps(later))
    async with a_club_served(own_database, monkeypatch):
        night = json.loads((await mahjic("submit", str(tmp_path / "night.json"), "--json")).stdout)
        match = json.loads((await mahjic("submit", str(tmp_path / "match.json"), "--json")).stdout)
        ada = night["results"][0]["player_id"]
        voided = await mahjic("void", night["session_id"], "--reason", "not_played")
        assert voided.exit_code == 0, voided.stderr
        # The fourth fact: after the formula, the night and the match.
        why = await once_it_has_lines(3, "why", f"{ada}.4")
        player = await mahjic("player", ada, "--chart")

    left_out, lasting = night["session_id"], match["session_id"]
    # The match was worth 13.09 of her lead of 64 (expected 0.591076), and 16 between equals.
    assert why.rows[1:] == [
        ["mahjic", "2026-01-31", "Columbus", f"{left_out} 1", "+48.00", "-", "-48.00"],
        ["mahjic", "2026-02-07", "Columbus", f"{lasting} 1", "+13.09", "+16.00", "+2.91"],
    ]
    assert f"void of {left_out} (not_played)." in why.stderr
    assert "In the mahjic pool, 1561.09 -45.09 is 1516.00." in why.stderr
    assert [row[1:] for row in player.rows[-3:]] == [
        ["(a session voided)", "-45.09", "1516.00", f"{ada}.4"],
        ["Columbus", "+13.09", "1561.09", f"{ada}.3.1"],
        ["Columbus", "+48.00", "1548.00", f"{ada}.2.1"],
    ]


def a_match(**mahjongs: int) -> dict[str, Any]:
    seats = [
        {"email": f"{name}@example.com", "games_played": 12, "mahjongs": won}
        for name, won in mahjongs.items()
    ]
    return {"players": seats, "wall_games": 12 - sum(mahjongs.values())}


async def verify(url: str, operator: str, *player_ids: str) -> None:
    headers = {"Authorization": f"Bearer {operator}"}
    async with httpx.AsyncClient(base_url=url, headers=headers) as client:
        for player_id in player_ids:
            path = f"/v1/admin/players/{player_id}/verification"
            (await client.put(path, json={"verified": True})).raise_for_status()


async def once_it_has_lines(count: int, *arguments: str) -> Ended:
    async with asyncio.timeout(30):
        while len((ended := await mahjic(*arguments)).rows) < count:
            await asyncio.sleep(0.05)
    return ended
