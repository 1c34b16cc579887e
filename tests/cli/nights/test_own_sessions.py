"""The command that lists a source's sessions: what it asks for, and what it shows."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "session_id": f"ses_{number}",
        "session_date": "2026-01-31",
        "game_type": "league",
        "status": "rated",
        "counts": True,
        "reason": None,
        "rounds_count": 3,
        "players_count": 3,
        "players": [
            {"player_id": "MJ-7K3Q9XZM", "mahjic_id": "MJ-7K3Q9XZM", "player": "ada@example.com"},
            {"player_id": "MJ-ABCDEFGG", "mahjic_id": "MJ-ABCDEFGG", "player": None},
        ],
        "submitted_at": "2026-02-01T10:00:00+00:00",
        "corrects": None,
        "corrected_by": None,
        "fact_seq": number,
        **more,
    }


def page(*rows: dict[str, Any], next_cursor: str | None = None) -> Told:
    told = {"seq": 17, "source": "a-club", "sessions": list(rows), "next_cursor": next_cursor}
    return Told(200, told)


async def test_sessions_are_a_plain_table_with_the_ids_that_changes_take(
    service: ScriptedService,
) -> None:
    service.told = [page(row(2), row(1, status="corrected", corrected_by="ses_2"))]
    ended = await mahjic("sessions")
    assert ended.exit_code == 0
    assert ended.rows == [
        ["session_date", "session_id", "status", "game_type", "rounds", "player", "corrected_by"],
        ["2026-01-31", "ses_2", "rated", "league", "3", PLAYERS, "-"],
        ["2026-01-31", "ses_1", "corrected", "league", "3", PLAYERS, "ses_2"],
    ]
    (asked,) = service.asked
    assert (asked.method, asked.path) == ("GET", "/v1/sessions?limit=50")
    assert asked.headers["Authorization"] == "Bearer mjk_" + "k" * 43


PLAYERS = "ada@example.com, MJ-ABCDEFGG, 1 not shown"


async def test_every_option_is_asked_for(service: ScriptedService) -> None:
    service.told = [page()]
    given = {
        "from": "2026-01-01",
        "to": "2026-01-31",
        "player": "MJ-7K3Q9XZM",
        "status": "voided",
        "source": "a-club",
        "limit": "7",
        "min-seq": "17",
    }
    options = [text for name, value in given.items() for text in (f"--{name}", value)]
    ended = await mahjic("sessions", *options)
    assert (ended.exit_code, ended.stderr) == (0, "No such sessions.\n")
    asked = parse_qs(urlsplit(service.asked[0].path).query)
    assert asked == {name.replace("-", "_"): [value] for name, value in given.items()}


async def test_pages_are_read_until_there_are_so_many(service: ScriptedService) -> None:
    service.told = [page(row(3), next_cursor="c"), page(next_cursor="d"), page(row(2), row(1))]
    ended = await mahjic("sessions")
    assert [each[1] for each in ended.rows[1:]] == ["ses_3", "ses_2", "ses_1"]
    assert [parse_qs(urlsplit(each.path).query).get("cursor") for each in service.asked] == [
        None,
        ["c"],
        ["d"],
    ]
    service.told = [page(row(3), row(2), next_cursor="c")]
    ended = await mahjic("sessions", "--limit", "2")
    assert len(ended.rows) == 3
    assert "There are more" in ended.stderr


async def test_json_is_printed_as_it_came(service: ScriptedService) -> None:
    service.told = [page(row(1))]
    ended = await mahjic("sessions", "--json")
    assert json.loads(ended.stdout) == service.told[0].content


@pytest.mark.parametrize("option", [("--status", "gone"), ("--limit", "0"), ("--min-seq", "-1")])
async def test_what_cannot_be_asked_for_is_not_sent(
    service: ScriptedService, option: tuple[str, str]
) -> None:
    assert (await mahjic("sessions", *option)).exit_code == 2
    assert not service.asked
