"""A history lists every change, and every change explains itself."""

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.projections import by_definition
from tests.projections.conftest import World
from tests.projections.season import Round
from tests.projections.told_history import in_pool


async def whole_history(world: World, who: str, **asked: object) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = await world.get(f"/v1/players/{who}/history", **asked, **cursor)
        changes += page["changes"]
        if page["next_cursor"] is None:
            return changes
        cursor = {"cursor": page["next_cursor"]}


async def a_season(world: World) -> list[str]:
    """Play nights of two rounds, out of the order of their dates."""
    club = await world.season.source("club")
    people = [await world.season.player(n, source=club) for n in range(1, 5)]
    for each in people[:3]:
        await world.season.verify(each)
    for night, day in enumerate((20, 3, 3, 11, 27)):
        a, b, c = people[night % 4], people[(night + 1) % 4], people[(night + 2) % 4]
        await world.season.play(
            club, Round({a: 2, b: 1, c: 0}, 1), Round({a: 0, b: 3}), on=f"2026-01-{day:02}"
        )
    await world.follow()
    return people


async def test_a_history_is_the_log_backwards_and_adds_up_to_the_rating(world: World) -> None:
    people = await a_season(world)
    known = await by_definition.everybody(world.season.log)
    for who in people:
        expected = [
            (f"{who}.{fact}.{number}", number, change, verified_change)
            for fact, number, change, verified_change in reversed(known[who].changes)
        ]
        for limit in (1, 2, 3, 200):
            found = [
                (
                    each["change_id"],
                    each["round_number"],
                    round(each["mahjic"]["rating_change"] * 100),
                    round(each["verified"]["rating_change"] * 100),
                )
                for each in await whole_history(world, who, limit=limit)
            ]
            assert found == expected
        changes = await whole_history(world, who)
        profile = await world.get(f"/v1/players/{who}")
        for pool, rating in (("mahjic", "rating"), ("verified", "verified_rating")):
            total = sum(round(each[pool]["rating_change"] * 100) for each in changes)
            assert 150_000 + total == round(profile[rating] * 100)
            assert changes[0][pool]["rating_after"] == profile[rating]
            assert changes[-1][pool]["rating_before"] == 1500.0
            for newer, older in pairwise(changes):
                assert newer[pool]["rating_before"] == older[pool]["rating_after"]
                assert newer[pool]["games_before"] == older[pool]["games_after"]


async def test_from_and_to_are_dates_of_sessions_and_both_count(world: World) -> None:
    people = await a_season(world)
    dates = [each["session_date"] for each in await whole_history(world, people[1])]
    assert len(set(dates)) > 2
    found = await whole_history(
        world, people[1], **{"from": "2026-01-03", "to": "2026-01-11", "limit": 1}
    )
    expected = [day for day in dates if "2026-01-03" <= day <= "2026-01-11"]
    assert [each["session_date"] for each in found] == expected
    assert 0 < len(expected) < len(dates)


async def test_an_entry_tells_the_whole_round(world: World) -> None:
    league = await world.season.source("league", kind="league")
    ada = await world.season.player(1, name="Ada")
    bo = await world.season.player(2)
    cy = await world.season.player(3, is_private=True)
    session, fact = await world.season.play(
        league,
        Round(
            {ada: 2, bo: 1, cy: 0, "BOB": 0},
            wall_games=1,
            points_centi={ada: 12_550, bo: -2_550, cy: -10_000, "BOB": 0},
        ),
        game_type="league",
        on="2026-01-31",
    )
    await world.follow()
    (entry,) = (await world.get(f"/v1/players/{ada}/history"))["changes"]
    # 16 from each of three level opponents, and of the points 3.02, 4.51 and 2.51.
    assert entry == {
        "type": "round",
        "change_id": f"{ada}.{fact}.1",
        "fact_seq": fact,
        "played_as": None,
        "session_id": session,
        "source": {"slug": "league", "name": "League"},
        "session_date": "2026-01-31",
        "game_type": "league",
        "round_number": 1,
        "games_played": 4,
        "wall_games": 1,
        "mahjongs": 2,
        "points": 125.5,
        "voided": False,
        "superseded_by": None,
        "mahjic": in_pool(1500.0, 58.04, 1558.04, games=(0, 4)),
        "verified": in_pool(1500.0, 0.0, 1500.0, games=(0, 0)),
        "opponents": [
            {"player_id": bo, "player": bo, "rating_before": 1500.0},
            {"player_id": None, "player": "a private player", "rating_before": 1500.0},
            {"player_id": None, "player": "Bob (imaginary player)", "rating_before": 1500.0},
        ],
    }


async def test_the_lines_of_a_reason_add_up_to_the_change_by_hand(world: World) -> None:
    people = await a_season(world)
    lines = 0
    for who in people:
        for entry in await whole_history(world, who):
            why = await world.get(f"/v1/players/{who}/changes/{entry['change_id']}")
            assert why["formula"] == "mahjic-elo/1"
            for pool in ("mahjic", "verified"):
                reason, change = why[pool], entry[pool]
                assert reason["counted"] is (change["games_after"] > change["games_before"])
                assert reason["rating_before"] == change["rating_before"]
                assert reason["rating_after"] == change["rating_after"]
                lines += len(reason["lines"])
                total = 0
                for line in reason["lines"]:
                    gain = line["k"] * (Fraction(str(line["actual"])) - _exact(line["expected"]))
                    assert gain * 10**9 == line["pair_gain_nano"]
                    assert line["points_bonus"] == 0.0
                    total += line["pair_gain_nano"]
                assert total == reason["sum_nano"]
                assert (
                    total + reason["rounding_nano"] == round(change["rating_change"] * 100) * 10**7
                )
    assert lines > 40


def _exact(number: float) -> Fraction:
    """Return the nine decimals that a JSON reader sees."""
    return Fraction(f"{number:.9f}")


async def test_the_reason_shows_private_opponents_without_their_id(world: World) -> None:
    club = await world.season.source("club")
    ada, cy = await world.season.player(1), await world.season.player(2, is_private=True)
    for each in (ada, cy):
        await world.season.verify(each)
    _, fact = await world.season.play(club, Round({ada: 1, cy: 0, "BOB": 0}))
    await world.follow()
    answer = await world.ask(f"/v1/players/{ada}/changes/{ada}.{fact}.1")
    why = answer.json()
    assert cy not in answer.text
    assert [line["player"] for line in why["mahjic"]["lines"]] == [
        "a private player",
        "Bob (imaginary player)",
    ]
    (line,) = why["verified"]["lines"]
    assert (line["player_id"], line["rating_before"]) == (None, 1500.0)
    assert why["verified"]["rating_change"] == 16.0


async def test_an_unknown_change_is_404(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.season.play(club, Round({bo: 1, ada: 0}))
    await world.follow()
    assert await world.get(f"/v1/players/{ada}/changes/{ada.lower()}.2.1")
    wrong = (
        "nonsense",
        f"{bo}.3.1",
        *(f"{ada}.{at}" for at in ("2.2", "99.1", "0.1", "2.99999", "2")),
    )
    for change in wrong:
        answer = await world.ask(f"/v1/players/{ada}/changes/{change}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_change"), change


async def test_a_page_of_a_history_that_can_not_be_is_refused(world: World) -> None:
    ada = await world.season.player(1)
    for parameters, code in (
        ({"from": "2026-02-30"}, "invalid_parameter"),
        ({"from": "0"}, "invalid_parameter"),
        ({"to": "2026-01-01T00:00"}, "invalid_parameter"),
        ({"cursor": "!"}, "invalid_parameter"),
        ({"cursor": "e30"}, "wrong_cursor"),
        ({"limit": "1000"}, "invalid_parameter"),
    ):
        answer = await world.ask(f"/v1/players/{ada}/history", parameters)
        assert (answer.status_code, answer.json()["code"]) == (422, code), parameters


async def test_a_cursor_goes_on_with_the_history_of_its_player_only(world: World) -> None:
    people = await a_season(world)
    page = await world.get(f"/v1/players/{people[0]}/history", limit=1)
    answer = await world.ask(f"/v1/players/{people[1]}/history", {"cursor": page["next_cursor"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "wrong_cursor")


async def test_a_history_read_while_it_grows_shows_no_change_twice(world: World) -> None:
    people = await a_season(world)
    before = await whole_history(world, people[0])
    first = await world.get(f"/v1/players/{people[0]}/history", limit=2)
    await world.season.play("club", Round({people[0]: 1, people[1]: 0}))
    await world.follow()
    rest = await whole_history(world, people[0], cursor=first["next_cursor"])
    assert first["changes"] + rest == before


async def test_the_formula_is_told_as_it_stands_on_the_log(world: World) -> None:
    await world.follow()
    formula = await world.get("/v1/formula")
    (record,) = await world.season.log.read(await world.season.log.beginning(), 1)
    assert formula["parameters"] == json.loads(record.body)["data"]["data"]["parameters"]
    assert formula["name"] == "mahjic-elo/1"
    assert [(band["name"], band["rating_min"]) for band in formula["bands"]] == [
        ("Expert", 1800.0),
        ("Advanced", 1600.0),
        ("Intermediate", 1400.0),
        ("Beginner", 1200.0),
        ("Newcomer", None),
    ]
