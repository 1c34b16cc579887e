"""Games kept by hand are scored over HTTP as on the command line, within limits, by anybody."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.ingest.score_api import PLAYERS_MAX, SCORE_ROUTES, Scoring
from shared.http.routes import add_routes
from shared.limits import NAME_CHARACTERS_MAX, TEXT_CHARACTERS_MAX
from shared.settings import Settings
from tests.http.service import SOURCE_KEY, a_service, talking_to, with_key

VECTORS = Path(__file__).parents[1] / "vectors" / "hk"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}
GAMES_MAX = 150
BYTES_MAX = 40_000
THREADS_MAX = 32  # Of an event loop.
NIGHT = "2026-01-31\nR=half\nAnn Bea Cy Di\n3 - - d\n- - - -\n- f - -\n"
PEOPLE = {
    "Ann": "ann@example.com",
    "Bea": "PRIVATE:bea@example.com",
    "Cy": "cy@example.com",
    "Di": "ANON:Di",
}


@pytest.fixture(name="client")
async def talking() -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of a service that scores, and of nothing else."""
    app = a_service()
    settings = Settings(scores_bytes_max=BYTES_MAX, scored_games_max=GAMES_MAX)
    add_routes(app, SCORE_ROUTES, Scoring(settings))
    async with talking_to(app) as client:
        yield client


async def scored(client: httpx.AsyncClient, body: dict[str, Any], query: str = "") -> Any:
    answer = await client.post(f"/v1/score/hong-kong{query}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refusal(
    client: httpx.AsyncClient, body: dict[str, Any] | bytes, query: str = ""
) -> list[tuple[str, int | None, str]]:
    """Return pointer, line and code of each mistake of a request that is refused."""
    if isinstance(body, bytes):
        answer = await client.post(f"/v1/score/hk{query}", content=body, headers=TEXT)
    else:
        answer = await client.post(f"/v1/score/hk{query}", json=body)
    assert answer.status_code == 422, answer.text
    return [(each["pointer"], each.get("line"), each["code"]) for each in answer.json()["errors"]]


async def test_text_is_scored_by_anybody_without_a_key(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/score/hong-kong", content=NIGHT.encode(), headers=TEXT)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json() == {
        "rulebook": "hong-kong",
        "players": [
            row("Ann", 3, 1, 0.3333, 1168, 389.3333),
            row("Cy", 3, 0, 0, 1148, 382.6667),
            row("Di", 3, 0, 0, 1144, 381.3333),
            row("Bea", 3, 0, 0, -3460, -1153.3333),
            row("*", 12, 1, 0.0833, 0, 0),
        ],
        "games": [
            game(4, "Ann", 16, -4, -4, -8),
            game(5, None, 0, 0, 0, 0),
            game(6, None, 1152, -3456, 1152, 1152),
        ],
    }


def row(name: str, *numbers: float | None) -> Any:
    columns = ("game_count", "win_count", "win_fraction", "net_score", "net_score_per_game")
    return {"name": name, **dict(zip(columns, numbers, strict=True))}


def game(line: int, winner: str | None, *points: float) -> Any:
    named = dict(zip(PEOPLE, points, strict=True))
    return {"line": line, "date": "2026-01-31", "winner": winner, "points": named}


async def test_a_key_changes_nothing(client: httpx.AsyncClient) -> None:
    content = NIGHT.encode()
    public = await client.post("/v1/score/hk", content=content, headers=TEXT)
    keyed = await client.post(
        "/v1/score/hk", content=content, headers={**TEXT, **with_key(SOURCE_KEY)}
    )
    assert keyed.content == public.content


@pytest.mark.parametrize(
    "name",
    sorted(file.name.removesuffix(".tsv") for file in VECTORS.glob("*.tsv")),
)
async def test_the_numbers_are_those_of_the_recorded_tables(
    client: httpx.AsyncClient, name: str
) -> None:
    answer = await client.post("/v1/score/hk", content=(VECTORS / name).read_bytes(), headers=TEXT)
    head, *lines = (VECTORS / f"{name}.tsv").read_text().splitlines()
    recorded = [line.split("\t") for line in lines]
    told = [[each[column] for column in head.split("\t")] for each in answer.json()["players"]]
    assert [[cells[0], *map(float, cells[1:])] for cells in recorded] == told


async def test_who_has_not_played_has_no_averages(client: httpx.AsyncClient) -> None:
    *_, absent, _ = (await scored(client, {"games": "A B C D\n3 - - -\nE A B C"}))["players"]
    assert absent == row("E", 0, 0, None, 0, None)


async def test_the_session_is_the_claim_that_can_be_submitted(client: httpx.AsyncClient) -> None:
    body = {"games": NIGHT, "players": PEOPLE, "game_type": "tournament"}
    assert "sessions" not in await scored(client, body)
    (session,) = (await scored(client, body, "?session=true"))["sessions"]
    assert (session["session_date"], session["game_type"]) == ("2026-01-31", "tournament")
    assert session["whole_night"] is True
    (only,) = session["rounds"]
    assert only["wall_games"] == 2
    assert [(each["email"], each["mahjongs"], each["points"]) for each in only["players"]] == [
        ("ann@example.com", 1, 1168),
        ("PRIVATE:bea@example.com", 0, -3460),
        ("cy@example.com", 0, 1148),
        ("ANON:Di", 0, 1144),
    ]


async def test_one_person_under_two_names_is_one_player(client: httpx.AsyncClient) -> None:
    games = "2026-01-31\nAnn Bea Cy Di\n3 - - -\nAnnie Bea Cy Di\n3 - - -\n"
    people = {**PEOPLE, "Annie": "private: ANN@example.com"}
    body = {"games": games, "players": people}
    answer = await scored(client, body, "?session=true")
    (session,), (warning,) = answer["sessions"], answer["warnings"]
    assert (warning["code"], warning["line"]) == ("one_address_two_names", 5)
    (only,) = session["rounds"]
    ann = only["players"][0]
    assert (ann["email"], ann["games_played"], ann["mahjongs"]) == (people["Annie"], 2, 2)


async def test_an_address_is_no_longer_than_in_a_claim_however_often_it_is_told(
    client: httpx.AsyncClient,
) -> None:
    nights = [f"2026-{month:02}-{day:02}\n- - - -" for month in range(1, 6) for day in range(1, 29)]
    games = "\n".join(["Ann Bea Cy Di", *nights])
    long = {**PEOPLE, "Ann": "a" * (TEXT_CHARACTERS_MAX + 1)}
    for query in ("", "?session=true"):
        mistakes = await refusal(client, {"games": games, "players": long}, query)
        assert mistakes == [("/players/Ann", None, "too_long")]
    domain = ".".join(["a" * 61, "b" * 61, "c" * 55, "com"])
    most = {name: f"{name.rjust(64, 'a')}@{domain}".rjust(TEXT_CHARACTERS_MAX) for name in PEOPLE}
    answer = await scored(client, {"games": games, "players": most}, "?session=true")
    assert len(answer["sessions"]) == len(nights)


async def test_games_without_a_date_have_the_one_that_is_given(client: httpx.AsyncClient) -> None:
    body = {"games": "Ann Bea Cy Di\n3 - - -", "players": PEOPLE}
    assert await refusal(client, body, "?session=true") == [("/session_date", 2, "no_date")]
    dated = await scored(client, {**body, "session_date": "2026-02-28"}, "?session=true")
    assert dated["sessions"][0]["session_date"] == "2026-02-28"


async def test_mistakes_are_told_with_pointer_and_line(client: httpx.AsyncClient) -> None:
    games = "A B C D\n3 3 - -\nnonsense\n"
    assert await refusal(client, {"games": games}) == [
        ("/games", 2, "two_winners"),
        ("/games", 3, "unknown_line"),
    ]
    assert await refusal(client, games.encode()) == [
        ("", 2, "two_winners"),
        ("", 3, "unknown_line"),
    ]
    assert await refusal(client, "A B C D\nÉ".encode("cp1252")) == [("", 2, "not_utf_8")]


async def test_a_session_tells_what_it_lacks_at_once(client: httpx.AsyncClient) -> None:
    games = "A B C D\n3 - - -\n2023-13-45\n"
    mistakes = await refusal(client, {"games": games, "players": {"A": "a@x.org"}}, "?session=true")
    assert mistakes == [("/games", 3, "invalid_date"), ("/players", None, "no_address")]
    assert await refusal(client, b"A B C D\n3 - - -", "?session=true") == [
        ("", 2, "no_date"),
        ("", None, "no_address"),
    ]


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({}, "/games", "missing"),
        ({"games": 3}, "/games", "wrong_type"),
        ({"games": "", "player": {}}, "/player", "unknown_field"),
        ({"games": "", "players": []}, "/players", "wrong_type"),
        ({"games": "", "players": {"A": 1}}, "/players/A", "wrong_type"),
        ({"games": "", "game_type": "friendly"}, "/game_type", "unknown_value"),
        ({"games": "", "session_date": "2026-02-30"}, "/session_date", "invalid_value"),
        ({"games": "", "session_date": "20260228"}, "/session_date", "invalid_value"),
    ],
)
async def test_a_body_of_another_shape_is_refused_by_pointer(
    client: httpx.AsyncClient, body: dict[str, Any], pointer: str, code: str
) -> None:
    assert await refusal(client, body) == [(pointer, None, code)]


async def test_only_text_and_json_are_taken(client: httpx.AsyncClient) -> None:
    for kind in ("text/csv", "text/plain; charset=latin-1", "application/x-www-form-urlencoded"):
        answer = await client.post("/v1/score/hk", content=b"A", headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    for content in (b"", b"{", b'{"games": NaN}'):
        answer = await client.post(
            "/v1/score/hk", content=content, headers={"Content-Type": "application/json"}
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


async def test_an_unknown_rule_book_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/score/riichi", content=b"", headers=TEXT)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")


async def test_the_body_the_games_and_their_names_are_limited(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/score/hk", content=b"#" * (BYTES_MAX + 1), headers=TEXT)
    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")
    games = "A B C D\n" + "- - - -\n" * GAMES_MAX
    assert len((await scored(client, {"games": games}))["games"]) == GAMES_MAX
    more = f"{games}- - - -\n"
    assert await refusal(client, {"games": more}) == [("/games", GAMES_MAX + 2, "too_many_games")]
    name = "n" * NAME_CHARACTERS_MAX
    assert (await scored(client, {"games": f"{name} B C D"}))["players"][-2]["name"] == name
    assert await refusal(client, {"games": f"{name}n B C D"}) == [("/games", None, "too_long")]
    crowd = [f"n{number}" for number in range(PLAYERS_MAX + 4)]
    lines = [" ".join(crowd[at : at + 4]) for at in range(0, len(crowd), 4)]
    assert len((await scored(client, {"games": "\n".join(lines[:-1])}))["players"]) == 1001
    assert await refusal(client, {"games": "\n".join(lines)}) == [
        ("/games", None, "too_many_players")
    ]


async def test_a_thousand_mistakes_are_listed_and_more_are_told_of(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post("/v1/score/hk", content=b"?\n" * 1500, headers=TEXT)
    assert answer.json()["detail"].startswith("More than 1000 mistakes found")
    assert [each["line"] for each in answer.json()["errors"]] == [*range(1, 1001), None]
    assert answer.json()["errors"][-1]["code"] == "more_mistakes"


async def test_the_public_limit_counts_here_too() -> None:
    app = a_service(public_per_minute=2)
    add_routes(app, SCORE_ROUTES, Scoring(Settings()))
    async with talking_to(app) as client:
        answers = await asyncio.gather(
            *(client.post("/v1/score/hk", content=b"", headers=TEXT) for _ in range(3))
        )
    assert sorted(each.status_code for each in answers) == [200, 200, 429]


async def test_who_would_wait_too_long_for_the_turn_is_told_to_come_again() -> None:
    app = a_service()
    add_routes(app, SCORE_ROUTES, Scoring(Settings(), turn_s_max=0))
    may_score = threading.Event()
    # Who has the turn cannot score before a thread is free, however fast the machine is.
    loop = asyncio.get_running_loop()
    waiting = [loop.run_in_executor(None, may_score.wait) for _ in range(THREADS_MAX)]
    async with talking_to(app) as client:
        asked = {
            asyncio.create_task(client.post("/v1/score/hk", content=b"", headers=TEXT))
            for _ in range(3)
        }
        refused: set[asyncio.Task[httpx.Response]] = set()
        while len(refused) < 2:
            done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            refused |= done
        may_score.set()
        await asyncio.gather(*waiting)
        assert [(await task).status_code for task in asked] == [200]
        # The turn is given back.
        assert (await client.post("/v1/score/hk", content=b"", headers=TEXT)).is_success
    answers = [task.result() for task in refused]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [
        (503, "scores_busy")
    ] * 2
    assert all(each.headers["Retry-After"] == "5" for each in answers)


async def test_very_large_points_are_numbers_all_the_same(client: httpx.AsyncClient) -> None:
    games = "M=100\nS=spicy\nB=999999999999.999999999999\nA B C D\n100 - - -\n"
    answer = await scored(client, {"games": games})
    assert answer["games"][0]["points"]["A"] == pytest.approx(3e12 * 2.0**100)
    assert answer["players"][-1]["net_score"] == 0
