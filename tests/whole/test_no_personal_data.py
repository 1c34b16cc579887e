"""Addresses, names, nicknames, refs and keys stand where they must, and nowhere else."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.database import open_server
from shared.settings import Settings
from tests.db.rows import text_by_table
from tests.whole.conftest import ServedSite, served_site

# Texts that are found wherever they stand: no other word holds them, in any case.
ADDRESSES = ("quixote.zzyzx@example.com", "jörmungandr@exämple.com", "o'zymandias+x@example.org")
HIDDEN_ADDRESS = "rumpelstilz@example.net"
NAMES = ("Don Quixote Zzyzx", "Jörmungandr Ægirsdóttir")
NICKNAME = "Flibbertigibbet"
REF = "table of Slartibartfast"
KEY_OF_REQUEST = "retry-for-Humperdinck@example.com"


def a_claim(**changed: Any) -> dict[str, Any]:
    players = [
        {"email": ADDRESSES[0], "name": NAMES[0], "games_played": 3, "mahjongs": 1},
        {"email": ADDRESSES[1], "name": NAMES[1], "games_played": 3, "mahjongs": 1},
        {"email": f"PRIVATE:{HIDDEN_ADDRESS}", "games_played": 3, "mahjongs": 1},
        {"email": f"ANON:{NICKNAME}", "games_played": 3, "mahjongs": 0},
    ]
    round_claim = {"players": players, "wall_games": 0, "ref": REF}
    return {
        "session_date": "2026-02-28",
        "game_type": "social",
        "rounds": [round_claim],
    } | changed


def send_everything(url: str, keys: Mapping[str, str]) -> dict[str, str]:
    """Send sessions good and bad, and what an operator does; return the ids of the players."""
    source = {"Authorization": f"Bearer {keys['source']}", "Idempotency-Key": KEY_OF_REQUEST}
    operator = {"Authorization": f"Bearer {keys['operator']}"}
    with httpx.Client(base_url=url, timeout=30) as client:
        answer = client.post("/v1/sessions", json=a_claim(), headers=source)
        assert answer.status_code == 201, answer.text
        ids = {each["player"]: each["player_id"] for each in answer.json()["results"]}
        again = client.post("/v1/sessions", json=a_claim(), headers=source)
        assert again.status_code == 201
        reused = a_claim(session_date="2026-03-01")
        assert client.post("/v1/sessions", json=reused, headers=source).status_code == 422
        wrong = a_claim(
            rounds=[{"players": [], NAMES[0]: ADDRESSES[0]}], **{ADDRESSES[1]: NICKNAME}
        )
        assert client.post("/v1/sessions", json=wrong, headers=source).status_code == 422
        broken = json.dumps(a_claim()).encode()[:-20]
        headers = source | {"Content-Type": "application/json"}
        assert client.post("/v1/sessions", content=broken, headers=headers).status_code == 400
        registered = client.post(
            "/v1/admin/players", json={"email": ADDRESSES[2]}, headers=operator
        )
        assert registered.status_code == 201
        ids[ADDRESSES[2]] = registered.json()["player_id"]
        player = f"/v1/admin/players/{ids[ADDRESSES[0]]}"
        verified = {"verified": True}
        assert (
            client.put(f"{player}/verification", json=verified, headers=operator).status_code == 200
        )
        for path in (f"/v1/players/{ADDRESSES[0]}", f"/v1/players/search?q={NICKNAME}"):
            client.get(path)
        client.get(f"/{HIDDEN_ADDRESS}/{NAMES[0]}", headers={"User-Agent": NICKNAME})
        client.get("/v1/leaderboard", headers={"Authorization": f"Bearer {ADDRESSES[0]}"})
    return ids


def traces_in(text: str) -> list[str]:
    """Return what of the odd texts stands in a text, as it is or as JSON would escape it."""
    folded = text.casefold()
    words = [*ADDRESSES, HIDDEN_ADDRESS, *NAMES, NICKNAME, REF, KEY_OF_REQUEST]
    # The telling part of each is enough, however the rest is written.
    words += ["zzyzx", "rmungandr", "zymandias", "rumpelstilz", "slartibart", "humperdinck"]
    forms = {form for word in words for form in (word, json.dumps(word).strip('"'))}
    return sorted(form for form in forms if form.casefold() in folded)


def test_the_search_finds_what_it_looks_for() -> None:
    assert traces_in("x QUIXOTE.Zzyzx@example.com y")
    assert traces_in(json.dumps({"a": ADDRESSES[1]}))
    assert traces_in("nothing to see") == []


async def rows_of_site(site: ServedSite) -> dict[str, str]:
    data = Path(site.environment["MAHJIC_DATA"])
    async with open_server(Settings(data=data), role="join") as dsn:
        return await text_by_table(dsn)


def test_two_tables_alone_hold_what_tells_who_somebody_is() -> None:
    with served_site() as site:
        ids = send_everything(site.url, site.keys)
        metrics = httpx.get(f"{site.url}/metrics").text
        tables = asyncio.run(rows_of_site(site))
        assert set(traces_in(tables["mahjic.people"])) >= {NICKNAME, HIDDEN_ADDRESS}
        # The names that a source sent are that source's, and are erased with the person.
        assert set(traces_in(tables["mahjic.acquaintances"])) >= set(NAMES)
        holders = {name for name, text in tables.items() if traces_in(text)}
        assert holders == {"mahjic.people", "mahjic.acquaintances"}
        everything = "\n".join(tables.values())
        log = site.log.read_text()
        postgres_log = (Path(site.environment["MAHJIC_DATA"]) / "postgres.log").read_text()
        assert "/v1/sessions" in log
        for text in (metrics, log, postgres_log):
            assert traces_in(text) == []
            assert "mjk_" not in text
        assert "mjk_" not in everything

        operator = {"Authorization": f"Bearer {site.keys['operator']}"}
        for player_id in ids.values():
            path = f"{site.url}/v1/admin/players/{player_id}/personal-data"
            assert httpx.delete(path, headers=operator).status_code == 204
        forgotten = asyncio.run(rows_of_site(site))
        assert [name for name, text in forgotten.items() if traces_in(text)] == []


@pytest.mark.parametrize("route", ["/v1/log/facts", "/v1/log/verdicts"])
def test_the_logs_as_an_auditor_reads_them_name_nobody(route: str) -> None:
    with served_site() as site:
        send_everything(site.url, site.keys)
        auditor = {"Authorization": f"Bearer {site.keys['auditor']}"}
        lines = httpx.get(site.url + route, headers=auditor).text
        assert "session-" in lines
        assert traces_in(lines) == []
