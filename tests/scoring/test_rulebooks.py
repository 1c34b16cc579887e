"""What the rule books have in common: a table, sessions, and the command and route around them."""

from datetime import date
from pathlib import Path

import pytest

from services.ingest.score_api import score_routes
from shared.scoring.games import sessions_of
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.settings import Settings
from tests.cli.running import call
from tests.http.service import a_service, talking_to

# One evening under each rule book. Banker: 5 from Cy to Bo, then a drawn hand. Wright-Patterson: Bo
# wins 10, Ada (East) pays double; then a wall game, which costs everybody 50.
NOTHING = "13579d 24689b 123c"
EVENINGS = {
    "hk": "2026-01-31\nAda Bo Cy Di\n- 3 d -\n- - - -\n",
    "banker": "2026-01-31\nAda Bo Cy Di\nb w d -\nb - - -\n",
    "wp": "2026-01-31\nAda Bo Cy Di\nround E\nwin Bo 10\n"
    f"hand Ada {NOTHING}\nhand Cy {NOTHING}\nhand Di {NOTHING}\nround E\nwall\n",
}
POINTS = {
    "hk": {"Ada": 0, "Bo": 16, "Cy": -16, "Di": 0},
    "banker": {"Ada": 0, "Bo": 5, "Cy": -5, "Di": 0},
    "wp": {"Ada": -20 - 50, "Bo": 40 - 50, "Cy": -10 - 50, "Di": -10 - 50},
}
ADDRESSES = {name: f"{name.lower()}@example.com" for name in ("Ada", "Bo", "Cy", "Di")}


def test_every_rule_book_has_a_long_and_a_short_name() -> None:
    assert sorted(SHORT_NAMES.values()) == sorted(RULE_BOOKS)
    assert set(SHORT_NAMES) == set(EVENINGS)


@pytest.mark.parametrize("rulebook", EVENINGS)
def test_an_evening_is_a_session_of_one_round_with_wins_and_wall_games(rulebook: str) -> None:
    scored = RULE_BOOKS[SHORT_NAMES[rulebook]](EVENINGS[rulebook])
    (session,) = sessions_of(scored, ADDRESSES, game_type="league")
    assert session["session_date"] == date(2026, 1, 31).isoformat()
    (played,) = session["rounds"]
    assert played["wall_games"] == 1
    for player in played["players"]:
        name = next(name for name in ADDRESSES if ADDRESSES[name] == player["email"])
        assert player["games_played"] == 2
        assert player["mahjongs"] == (1 if name == "Bo" else 0)
        assert player["points"] == POINTS[rulebook][name]


@pytest.mark.parametrize("rulebook", EVENINGS)
def test_the_command_writes_the_table_of_every_rule_book(rulebook: str, tmp_path: Path) -> None:
    file = tmp_path / "scores.txt"
    file.write_text(EVENINGS[rulebook])
    ended = call("score", rulebook, str(file))
    assert ended.exit_code == 0, ended.stderr
    header, *rows = (tmp_path / "scores.txt.tsv").read_text().splitlines()
    assert header.split("\t")[:2] == ["name", "game_count"]
    net = {cells[0]: int(cells[4]) for cells in (row.split("\t") for row in rows)}
    everybody = sum(POINTS[rulebook].values())
    assert net == {**POINTS[rulebook], "*": everybody}


@pytest.mark.parametrize("rulebook", EVENINGS)
async def test_the_route_answers_to_the_short_and_the_long_name_alike(rulebook: str) -> None:
    app = a_service()
    app.include_router(score_routes(Settings()))
    answers = []
    async with talking_to(app) as client:
        for name in (rulebook, SHORT_NAMES[rulebook]):
            answer = await client.post(
                f"/v1/score/{name}?session=true",
                json={"games": EVENINGS[rulebook], "players": ADDRESSES},
            )
            assert answer.status_code == 200, answer.text
            answers.append(answer.json())
    short, long = answers
    assert short == long
    assert short["rulebook"] == SHORT_NAMES[rulebook]
    totals = {row["name"]: row["net_score"] for row in short["players"] if row["name"] != "*"}
    assert totals == POINTS[rulebook]
