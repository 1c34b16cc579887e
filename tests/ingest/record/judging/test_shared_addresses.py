"""One address with two names (case 202): a warning at every door, and a way out when both meet."""

from typing import Any

import pytest

from tests.ingest.answers import problem
from tests.ingest.batches.sending import LINES, body_of, lines_of
from tests.ingest.claims import Claim, a_seat, a_session, mistakes_in, read
from tests.ingest.guests import Guest
from tests.service import bearer

WARNED = ("/rounds/1/players/1/name", "one_address_two_names")
SHEET = """Date: 2026-01-31,,
Game Type: Social,,
ROUND 1 | Games Played: 2 | Wall Games: 0,,
Player Email,Name,Mahjongs
the-does@example.com,Pat,1
bo@example.com,Bo,1
ROUND 2 | Games Played: 2 | Wall Games: 0,,
Player Email,Name,Mahjongs
bo@example.com,Bo,1
THE-DOES@example.com,Sam,1
"""


def named(who: str, name: str | None) -> dict[str, Any]:
    """Return a seat that won a game of two; None leaves the name out."""
    return a_seat(who, games=2, mahjongs=1, **({} if name is None else {"name": name}))


def tables(*names: tuple[str | None, str | None]) -> Claim:
    """Return a session with a round for each pair of names, of the same two addresses."""
    rounds = [
        {"players": [named("bo", one), named("The-Does", other)], "wall_games": 0}
        for one, other in names
    ]
    return a_session(*rounds)


NIGHT = tables(("Bo", "Pat"), ("Bo", "Sam"))


@pytest.mark.parametrize(
    ("names", "pointers"),
    [
        (["Pat", "Sam"], ["/rounds/1/players/1/name"]),
        (["Pat", None, "Sam"], ["/rounds/2/players/1/name"]),
        (["Pat", "Sam", "Kim", "Pat"], ["/rounds/1/players/1/name"]),
        (["Pat", "Patricia"], ["/rounds/1/players/1/name"]),
        (["Pat", "Pat"], []),
        (["Pat Doe", " PAT  DOE ", "Pat-Doe"], []),
        (["José", "Jose\u0301", "JOSE"], []),
        (["王伟", "王芳"], ["/rounds/1/players/1/name"]),
        (["Pat", None], []),
        ([None, None], []),
    ],
)
def test_an_address_with_two_names_is_told_of_once(
    names: list[str | None], pointers: list[str]
) -> None:
    warnings = read(tables(*((None, name) for name in names))).warnings
    assert [each.pointer for each in warnings] == pointers
    assert {each.code for each in warnings} <= {"one_address_two_names"}


def test_two_people_with_one_name_and_nicknames_with_two_are_no_concern() -> None:
    assert read(tables(("Pat", "Pat"))).warnings == ()
    nicknames = tables((None, "Pat"), (None, "Sam"))
    for played in nicknames["rounds"]:
        played["players"][1]["email"] = "ANON:Lefty"
    assert read(nicknames).warnings == ()


def test_the_warning_says_both_names_and_what_a_couple_can_do() -> None:
    (warning,) = read(NIGHT).warnings
    assert (warning.pointer, warning.code) == WARNED
    for word in ("Pat in round 1", "Sam", "one player", "pat+sam@example.com", "ANON:"):
        assert word in warning.message


def test_both_at_one_table_are_refused_with_both_names_and_a_way_out() -> None:
    both = {"players": [named("does", "Pat"), named("Does", "Sam")], "wall_games": 0}
    with pytest.raises(Exception, match=r"mistake found") as refused:
        read(a_session(both))
    (mistake,) = refused.value.mistakes  # type: ignore[attr-defined]
    assert (mistake.pointer, mistake.code) == ("/rounds/0/players/1/email", "player_twice")
    for word in ("Pat", "Sam", "players/0 of the round", "pat+sam@example.com", "ANON:"):
        assert word in mistake.message
    one = {"players": [named("does", "Pat"), named("Does", "pat")], "wall_games": 0}
    assert mistakes_in(a_session(one)) == {("/rounds/0/players/1/email", "player_twice")}


def told(warnings: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return place and code of each warning but that it is on record already."""
    told = [(each["pointer"], each["code"]) for each in warnings]
    return [each for each in told if each != ("", "already_recorded")]


async def test_every_door_warns_the_first_time_and_again(guest: Guest) -> None:
    key = await guest.source_key()
    for status in (201, 200):
        answer = await guest.submit(NIGHT, key)
        assert (answer.status_code, told(answer.json()["warnings"])) == (status, [WARNED])
    session_id = answer.json()["session_id"]
    lines = guest.own(body_of({**NIGHT, "session_date": "2026-01-30"}).decode())
    batch = await guest.client.post(
        "/v1/sessions/batch", content=lines, headers={"Content-Type": LINES, **bearer(key)}
    )
    (line,) = lines_of(batch.content)
    assert told(line["session"]["warnings"]) == [WARNED]
    sheet = await guest.client.post(
        "/v1/sheets",
        content=guest.own(SHEET.replace("2026-01-31", "2026-01-29")),
        headers={"Content-Type": "text/csv", **bearer(key)},
    )
    (warning,) = sheet.json()["warnings"]
    assert (warning["code"], warning["row"], warning["column"]) == (WARNED[1], 10, "B")
    corrected = await guest.client.post(
        f"/v1/sessions/{session_id}/corrections",
        content=guest.own(body_of(tables(("Bo", "Kim"), ("Bo", "Sam"))).decode()),
        headers={"Content-Type": "application/json", **bearer(key)},
    )
    assert told(corrected.json()["warnings"]) == [WARNED]


async def test_a_sheet_with_both_at_one_table_says_in_which_rows(guest: Guest) -> None:
    key = await guest.source_key()
    both = SHEET.replace("bo@example.com,Bo,1\nROUND", "the-does@example.com,Sam,1\nROUND")
    answer = await guest.client.post(
        "/v1/sheets",
        content=guest.own(both),
        headers={"Content-Type": "text/csv", **bearer(key)},
    )
    (mistake,) = problem(answer, 422, "invalid_sheet")["errors"]
    assert (mistake["row"], mistake["code"]) == (6, "player_twice")
    assert mistake["message"].startswith("Sam has the same address as Pat, the one in row 5. ")
    assert await guest.facts() == 0
