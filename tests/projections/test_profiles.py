"""A profile shows where a player stands, to the last digit, and nobody whom it must not show."""

import json
from pathlib import Path
from typing import Any

from tests.projections.conftest import World
from tests.projections.season import Round, an, mj

HISTORY = Path(__file__).parents[1] / "vectors" / "rating_history.json"


def round_of(step: dict[str, Any], ids: dict[str, str]) -> Round:
    """Return a round of the vectors; social ones are played without points."""
    seats = step["players"]
    points_centi = None
    if step["game_type"] != "social":
        points_centi = {ids[seat["player"]]: seat["points_centi"] for seat in seats}
    mahjongs = {ids[seat["player"]]: seat["mahjongs"] for seat in seats}
    return Round(mahjongs, wall_games=step["wall_games"], points_centi=points_centi)


async def test_four_hundred_rounds_of_the_vectors_end_in_the_profiles(world: World) -> None:
    """The vectors were computed outside of this program."""
    steps = json.loads(HISTORY.read_text())["steps"]
    labels = sorted({seat["player"] for step in steps for seat in step.get("players", [])})
    ids = {label: "BOB" if label == "BOB" else mj(n) for n, label in enumerate(labels)}
    club = await world.season.source("club")
    for number, label in enumerate(labels):
        if label != "BOB":
            await world.season.player(number, source=club)
    last: dict[str, dict[str, int]] = {}
    verified: dict[str, bool] = {}
    for step in steps:
        if step["op"] == "verify":
            await world.season.verify(ids[step["player"]])
            verified[step["player"]] = True
        elif step["op"] != "round":
            await world.season.end_verification(ids[step["player"]])
            verified[step["player"]] = False
        else:
            await world.season.play(club, round_of(step, ids), game_type=step["game_type"])
            labels_here = [seat["player"] for seat in step["players"]]
            last |= dict(zip(labels_here, step["expect"], strict=True))
    await world.follow()
    assert len(last) > 10
    for label, expected in last.items():
        if label == "BOB":
            continue
        profile = await world.get(f"/v1/players/{ids[label]}")
        assert profile["rating"] == expected["rating_after"] / 100
        assert profile["games"] == expected["games_total"]
        assert profile["verified_rating"] == expected["verified_rating_after"] / 100
        assert profile["verified_games"] == expected["verified_games_total"]
        assert profile["is_verified"] is verified.get(label, False)


async def test_a_profile_tells_who_the_player_is_and_what_touched_it_last(world: World) -> None:
    club = await world.season.source("club", region="west")
    ada = await world.season.player(1, source=club, name="Ada")
    bo = await world.season.player(2, source=club, region="midwest")
    await world.season.play(club, Round({ada: 3, bo: 1}), Round({ada: 0, bo: 1}), on="2026-01-09")
    _, last_fact = await world.season.play(club, Round({ada: 1, bo: 1}), on="2026-01-02")
    await world.season.verify(bo)
    await world.follow()
    # 1500 against 1500 with K 32: plus 16; then the loss at 1516 against 1484.
    profile = await world.get(f"/v1/players/{ada.lower()}")
    assert profile | {"rating": 0} == {
        "player_id": ada,
        "name": "Ada",
        "is_verified": False,
        "tier": "provisional",
        "rating": 0,
        "band": "Intermediate",
        "games": 7,
        "mahjongs": 4,
        "verified_rating": 1500.0,
        "verified_games": 0,
        "global_rank": None,
        "region": "west",
        "sessions": 2,
        "last_played": "2026-01-09",
        "seq": last_fact + 1,
        "fact_seq": last_fact,
        "correcting": None,
    }
    other = await world.get(f"/v1/players/{bo}")
    assert (other["name"], other["region"], other["tier"]) == (bo, "midwest", "verified")
    assert (other["seq"], other["fact_seq"]) == (last_fact + 1, last_fact + 1)


async def test_who_is_registered_and_has_not_played_stands_at_1500(world: World) -> None:
    ada = await world.season.player(1)
    profile = await world.get(f"/v1/players/{ada}")
    assert (profile["rating"], profile["games"], profile["fact_seq"]) == (1500.0, 0, 0)
    assert profile["last_played"] is None


async def test_private_unknown_anonymous_and_erased_players_are_the_same_404(world: World) -> None:
    club = await world.season.source("club")
    private = await world.season.player(1, is_private=True)
    erased = await world.season.player(2)
    ada = await world.season.player(3)
    anonymous = await world.season.anonymous(4, club)
    await world.season.play(club, Round({private: 1, erased: 2, ada: 3, anonymous: 1}))
    await world.follow()
    await world.season.erase(erased)
    bodies = []
    for who in (private, mj(77), anonymous, an(78), erased):
        for path in ("", "/history", f"/changes/{who}.2.1"):
            answer = await world.ask(f"/v1/players/{who}{path}")
            assert answer.status_code == 404
            body = answer.json()
            del body["instance"]
            bodies.append(body)
    assert all(body == bodies[0] for body in bodies)
    assert bodies[0]["code"] == "unknown_player"


async def test_a_mistyped_id_is_told_apart_from_an_unknown_one(world: World) -> None:
    for text in ("MJ-7K3Q9XZN", "MJ-123", "BOB", "XX-7K3Q9XZM", "MJ-7K3Q9XZU", "MJ-%00"):
        answer = await world.ask(f"/v1/players/{text}")
        assert (answer.status_code, answer.json()["code"]) == (422, "mistyped_player_id"), text


async def test_an_id_is_read_as_a_person_may_write_it(world: World) -> None:
    zero = await world.season.player(0)
    assert zero == "MJ-00000000"
    assert (await world.get("/v1/players/mj-oOoO0000"))["player_id"] == zero


async def test_a_profile_that_is_held_already_is_not_sent_again(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    first = await world.ask(f"/v1/players/{ada}")
    held = {"If-None-Match": first.headers["ETag"]}
    again = await world.ask(f"/v1/players/{ada}", headers=held)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["Cache-Control"].startswith("public, max-age=")
    others = await world.season.player(3), await world.season.player(4)
    await world.season.play(club, Round({others[0]: 1, others[1]: 0}))
    await world.follow()
    elsewhere = await world.ask(f"/v1/players/{ada}")
    assert elsewhere.json()["seq"] > first.json()["seq"]
    same = await world.ask(f"/v1/players/{ada}", headers=held)
    assert (same.status_code, same.headers["ETag"]) == (304, elsewhere.headers["ETag"])
    assert same.headers["ETag"].startswith("W/")
    await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.follow()
    moved = await world.ask(f"/v1/players/{ada}", headers=held)
    assert (moved.status_code, moved.json()["games"]) == (200, 1)
