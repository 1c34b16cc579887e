"""Whom a player met most, and two players side by side."""

from fractions import Fraction
from typing import Any

import pytest

from services.projections.together import queries
from services.projections.together.meetings import PAGE_ROUNDS, expected_scores
from services.projections.together.queries import OPPONENTS_MAX, ROUNDS_MAX
from services.site.reads import SiteReads
from shared.errors import UnknownPlayer
from tests.projections.conftest import World
from tests.projections.season import Round, mj


async def a_season(world: World, people: int) -> list[str]:
    """Return public players of a club that has played nothing yet."""
    await world.season.source("club", region="west")
    return [await world.season.player(number) for number in range(1, people + 1)]


async def test_private_opponents_are_left_out_and_bob_too(world: World, pages: SiteReads) -> None:
    ada, bo, cy = await a_season(world, 3)
    await world.season.play("club", Round({ada: 2, bo: 1, cy: 0, "BOB": 4}, 1))
    await world.season.play("club", Round({ada: 2, cy: 1}, 1))
    nick = await world.season.anonymous(9, "club")
    await world.season.play("club", *[Round({ada: 2, nick: 1}, 1)] * 5)
    await world.follow()
    met = (await pages.players.head_to_head(ada))["opponents"]
    of_bo = {"player_id": bo, "name": bo, "rounds": 1, "games": 8, "won": 2, "lost": 1}
    of_cy = {"player_id": cy, "name": cy, "rounds": 2, "games": 12, "won": 4, "lost": 1}
    assert met == [of_cy | {"wall_games": 2}, of_bo | {"wall_games": 1}]
    await world.season.change(cy, is_private=True)
    await world.season.change(bo, name="Bo")
    assert (await pages.players.head_to_head(ada))["opponents"] == [
        of_bo | {"name": "Bo", "wall_games": 1}
    ]
    await world.season.erase(bo)
    assert (await pages.players.head_to_head(ada))["opponents"] == []


async def test_as_many_opponents_as_a_page_needs_those_met_most(
    world: World, pages: SiteReads
) -> None:
    ada, *others = await a_season(world, OPPONENTS_MAX + 3)
    for number, other in enumerate(others, start=1):
        await world.season.play("club", *[Round({ada: 0, other: 0}, 1)] * number)
    await world.follow()
    met = (await pages.players.head_to_head(ada))["opponents"]
    assert met is not None
    assert [each["player_id"] for each in met] == others[::-1][:OPPONENTS_MAX]


async def test_only_the_newest_rounds_are_counted(
    world: World, pages: SiteReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo, cy = await a_season(world, 3)
    await world.season.play("club", *[Round({ada: 1, cy: 0})] * 2)
    for _ in range(ROUNDS_MAX // 100):
        await world.season.play("club", *[Round({ada: 1, bo: 0})] * 100)
    await world.follow()
    answer = await pages.players.head_to_head(ada)
    assert not answer["is_whole"]
    assert answer["opponents"] is not None
    assert [(each["player_id"], each["rounds"]) for each in answer["opponents"]] == [
        (bo, ROUNDS_MAX)
    ]
    assert (await pages.players.head_to_head(cy))["is_whole"]
    assert (await pages.players.head_to_head(bo))["is_whole"]
    await world.season.play("club", Round({ada: 1, bo: 0}))
    await world.follow()
    together = (await pages.players.comparison(ada, bo))["together"]
    assert together is not None
    assert (together["record"]["rounds"], together["is_whole"]) == (ROUNDS_MAX, False)


async def test_what_takes_too_long_is_said_not_to_be_there(
    world: World, pages: SiteReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo = await a_season(world, 2)
    cy = await world.season.player(3, is_private=True)
    await world.season.play("club", Round({ada: 1, bo: 0}))
    await world.follow()
    monkeypatch.setattr(queries, "COUNT_S_MAX", 1e-9)
    assert await pages.players.head_to_head(ada) == {
        "player_id": ada,
        "rounds_max": ROUNDS_MAX,
        "is_whole": False,
        "opponents": None,
    }
    compared = await pages.players.comparison(ada, bo)
    assert compared["together"] is None
    assert compared["player"]["player_id"] == ada
    # Who is hidden is unknown all the same.
    with pytest.raises(UnknownPlayer):
        await pages.players.head_to_head(cy)
    with pytest.raises(UnknownPlayer):
        await pages.players.comparison(ada, cy)


async def test_rounds_together_are_paged_and_told_from_either_side(
    world: World, pages: SiteReads
) -> None:
    ada, bo, cy = await a_season(world, 3)
    await world.season.play("club", Round({bo: 1, cy: 0}))
    for number in range(2 * PAGE_ROUNDS + 5):
        await world.season.play("club", Round({ada: 2, bo: number % 3, cy: 0}, 1))
    await world.follow()
    for one, other in ((ada, bo), (bo, ada)):
        down: list[Any] = [(await pages.players.comparison(one, other))["together"]]
        while (cursor := down[-1]["older_cursor"]) is not None:
            answer = await pages.players.comparison(one, other, cursor=cursor)
            down.append(answer["together"])
        assert [len(page["rounds"]) for page in down] == [PAGE_ROUNDS, PAGE_ROUNDS, 5]
        assert [page["is_newest"] for page in down] == [True, False, False]
        assert down[0]["newer_cursor"] is None
        assert down[1]["newer_cursor"] is None
        again = await pages.players.comparison(one, other, cursor=down[2]["newer_cursor"])
        assert again["together"] == down[1]
        rounds = [each for page in down for each in page["rounds"]]
        own = [(each["won"], each["rating_change"]) for each in rounds]
        theirs = [(each["lost"], each["other_rating_change"]) for each in rounds]
        if one == ada:
            of_ada, of_bo = own, theirs
        else:
            assert (theirs, own) == (of_ada, of_bo)
        assert all(page["record"] == down[0]["record"] for page in down)


async def test_two_players_are_expected_to_score_as_their_ratings_say(
    world: World, pages: SiteReads
) -> None:
    ada, bo, cy = await a_season(world, 3)
    for each in (ada, bo):
        await world.season.verify(each)
    for _ in range(5):
        await world.season.play("club", Round({ada: 2, bo: 1, cy: 0}, 1))
    await world.follow()
    compared = await pages.players.comparison(ada, bo)
    for pool, expected in (("rating", "expected"), ("verified_rating", "expected_verified")):
        ahead = compared["player"][pool] - compared["other"][pool]  # type: ignore[literal-required]
        score = compared[expected]  # type: ignore[literal-required]
        assert score["one"] == pytest.approx(1 / (1 + 10 ** (-ahead / 400)), abs=1e-9)
        assert score["one_nano"] + score["other_nano"] == 1_000_000_000
        assert Fraction(score["one_nano"], 10**9) == Fraction(str(score["one"]))
    assert compared["formula"] == "mahjic-elo/1"
    # Cy is not Verified, so the two have no expected score in that pool.
    assert (await pages.players.comparison(ada, cy))["expected_verified"] is None


def test_equal_players_are_expected_to_score_the_same() -> None:
    even = {"one": 0.5, "other": 0.5, "one_nano": 500_000_000, "other_nano": 500_000_000}
    assert expected_scores(150_000, 150_000, 40_000) == even


async def test_players_who_never_met_have_an_empty_record(world: World, pages: SiteReads) -> None:
    ada, bo, cy = await a_season(world, 3)
    await world.season.play("club", Round({ada: 1, bo: 0}), Round({bo: 1, cy: 0}))
    await world.follow()
    together = (await pages.players.comparison(ada, cy))["together"]
    assert together is not None
    assert together["rounds"] == []
    assert set(together["record"].values()) == {0}
    assert together["is_newest"]
    assert (await pages.players.head_to_head(ada))["opponents"] != []


async def test_whichever_of_two_is_hidden_the_error_is_the_same(
    world: World, pages: SiteReads
) -> None:
    ada, _ = await a_season(world, 2)
    private = await world.season.player(3, is_private=True)
    erased = await world.season.player(4)
    nick = await world.season.anonymous(5, "club")
    await world.season.play("club", Round({ada: 1, private: 1, erased: 1, nick: 0}))
    await world.season.erase(erased)
    await world.follow()
    told = set()
    for hidden in (private, erased, nick, mj(8)):
        for pair in ((ada, hidden), (hidden, ada), (hidden, hidden)):
            with pytest.raises(UnknownPlayer) as refused:
                await pages.players.comparison(*pair)
            told.add((refused.value.code, refused.value.detail, str(refused.value.extra)))
    assert len(told) == 1
