"""What the rule books have in common: a table, sessions, and the command and route around them."""

from datetime import date
from pathlib import Path

import pytest

from services.ingest.score_api import SCORE_ROUTES, Scoring
from shared.http.routes import add_routes
from shared.scoring.games import sessions_of
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake
from shared.scoring.players_file import read_players
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.settings import Settings
from tests.cli.running import call
from tests.http.service import a_service, talking_to

# One evening under each rule book. Banker: 5 from Cy to Bo, then a drawn hand. Wright-Patterson: Bo
# wins 10, Ada (East) pays double; then a wall game, which costs everybody 50. American: Bo wins 25
# off Cy, who pays double.
NOTHING = "13579d 24689b 123c"
EVENINGS = {
    "hk": "2026-01-31\nAda Bo Cy Di\n- 3 d -\n- - - -\n",
    "banker": "2026-01-31\nAda Bo Cy Di\nb w d -\nb - - -\n",
    "wp": "2026-01-31\nAda Bo Cy Di\nround E\nwin Bo 10\n"
    f"hand Ada {NOTHING}\nhand Cy {NOTHING}\nhand Di {NOTHING}\nround E\nwall\n",
    "american": "2026-01-31\nAda Bo Cy Di\n- 25 d -\n- - - -\n",
}
POINTS = {
    "hk": {"Ada": 0, "Bo": 16, "Cy": -16, "Di": 0},
    "banker": {"Ada": 0, "Bo": 5, "Cy": -5, "Di": 0},
    "wp": {"Ada": -20 - 50, "Bo": 40 - 50, "Cy": -10 - 50, "Di": -10 - 50},
    "american": {"Ada": -25, "Bo": 100, "Cy": -50, "Di": -25},
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
@pytest.mark.parametrize(
    ("names", "told"),
    [("Ada Bo Ada Ada", "Ada is named twice; "), ("Ada Bo Bo Ada", "Ada and Bo are named twice; ")],
)
def test_all_who_are_named_twice_are_told(rulebook: str, names: str, told: str) -> None:
    with pytest.raises(InvalidScores) as refused:
        RULE_BOOKS[SHORT_NAMES[rulebook]](EVENINGS[rulebook].replace("Ada Bo Cy Di", names))
    (mistake,) = [each for each in refused.value.mistakes if each.code == "player_twice"]
    assert mistake.line == 2
    assert mistake.message.startswith(told)


@pytest.mark.parametrize("rulebook", EVENINGS)
def test_no_message_repeats_a_word_of_any_length(rulebook: str) -> None:
    told: list[ScoreFileMistake] = []
    lines = [line.split() for line in EVENINGS[rulebook].splitlines()]
    for number, words in enumerate(lines):
        for place in range(len(words)):
            for word in ("x" * 5000, "1" * 5000, "w" * 5000, f"[{'1' * 5000}c]", "[" * 5000):
                changed = [*words[:place], word, *words[place + 1 :]]
                # The word stands there twice too, as two names do that are the same.
                for line in (changed, [word, *changed[1:]], [*changed[:-1], word]):
                    text = [*lines[:number], line, *lines[number + 1 :]]
                    told += mistakes_in(rulebook, "\n".join(map(" ".join, text)))
    assert {"player_twice", "unknown_line"} <= {each.code for each in told}
    assert max(len(each.message) for each in told) < 400


def mistakes_in(rulebook: str, text: str) -> tuple[ScoreFileMistake, ...]:
    try:
        RULE_BOOKS[SHORT_NAMES[rulebook]](text)
    except InvalidScores as refused:
        return refused.mistakes
    return ()


def test_no_message_of_the_players_file_repeats_a_name_of_any_length() -> None:
    with pytest.raises(InvalidScores) as refused:
        read_players("\n".join(["n" * 5000 + " a@x.org"] * 2), lambda _: None)
    assert len(refused.value.mistakes[0].message) < 400


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
    add_routes(app, SCORE_ROUTES, Scoring(Settings()))
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
