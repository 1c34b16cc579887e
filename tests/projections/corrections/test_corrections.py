"""A history shows what was corrected as entries of its own, and still adds up to the rating."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
)
from shared.rating.registry import MAHJIC_ELO_2_SCALED
from tests.conftest import Database
from tests.projections.season import Round, mj
from tests.projections.told_history import Told, a_told_season, in_pool

ADA, BO, CY, DREW = mj(1), mj(2), mj(3), mj(4)
SCALED = (MAHJIC_ELO_2_SCALED.name, MAHJIC_ELO_2_SCALED.parameters)


@pytest.fixture
async def told(database: Database) -> AsyncIterator[Told]:
    async with a_told_season(database) as told:
        yield told


async def three_nights(told: Told) -> list[str]:
    """Let Ada win against Bo, Bo against Cy, and Ada against Cy."""
    nights = []
    for winner, loser in ((ADA, BO), (BO, CY), (ADA, CY)):
        session, _ = await told.season.play("club", Round({winner: 1, loser: 0}))
        nights.append(session)
    return nights


async def test_a_void_is_an_entry_of_whoever_it_moved_with_cause_and_reason(told: Told) -> None:
    nights = await three_nights(told)
    fact = await told.void(nights[0])
    await told.world.follow()
    entries = await told.history(ADA)
    assert [each["change_id"] for each in entries] == [f"{ADA}.2.1", f"{ADA}.4.1", f"{ADA}.{fact}"]
    # Ada won 16 of Bo, and then 14.50 of Cy, who was 32.74 behind (expected 0.546965). Without the
    # first night she wins 15.26 of Cy, who is 16 behind (expected 0.523011), and nothing else.
    assert entries[-1] == {
        "type": "correction",
        "change_id": f"{ADA}.{fact}",
        "played_as": None,
        "fact_seq": fact,
        "corrected_on": "2026-02-01",
        "cause": "void",
        "reason": "entered_twice",
        "sessions": [nights[0]],
        "sessions_count": 1,
        "replaced_by": None,
        "merged": None,
        "formula": None,
        "mahjic": in_pool(1530.50, -15.24, 1515.26, games=(2, 1)),
        "verified": in_pool(1500.0, 0.0, 1500.0, games=(0, 0)),
    }
    assert [(each["voided"], each["superseded_by"]) for each in entries[:2]] == [
        (True, None),
        (False, None),
    ]
    for who in (ADA, BO, CY):
        told.assert_adds_up(who, await told.history(who))
    # Cy was never there on the first night, and is moved by it all the same.
    last = (await told.history(CY))[-1]
    assert (last["sessions"], last["mahjic"]["games_before"]) == ([nights[0]], 2)
    assert last["mahjic"]["games_after"] == 2


async def test_a_corrected_session_and_the_new_one_are_told_with_the_rounds_of_both(
    told: Told,
) -> None:
    nights = await three_nights(told)
    new, fact = await told.correct(nights[0], Round({ADA: 0, BO: 1}))
    await told.world.follow()
    *_, last = entries = await told.history(ADA)
    assert (last["cause"], last["reason"]) == ("correction", "wrong_result")
    assert (last["sessions"], last["replaced_by"]) == ([nights[0]], new)
    assert [(each["voided"], each["superseded_by"]) for each in entries[:2]] == [
        (False, new),
        (False, None),
    ]
    told.assert_adds_up(ADA, entries)
    why = await told.why(ADA, last["change_id"])
    assert (why["players_moved"], why["rounds_count"], why["next_cursor"]) == (3, 3, None)
    assert [
        (each["session_id"], each["before"] is None, each["after"] is None)
        for each in why["rounds"]
    ] == [(nights[0], False, True), (new, True, False), (nights[2], False, False)]
    lost = why["rounds"][1]["after"]["mahjic"]
    assert (lost["rating_before"], lost["rating_change"], lost["games_after"]) == (1500, -16, 1)
    assert why["rounds"][2]["before"]["mahjic"]["rating_before"] == 1516.0
    assert why["rounds"][2]["after"]["mahjic"]["rating_before"] == 1484.0
    round_why = await told.why(ADA, f"{ADA}.2.1")
    # In the numbers as published, with what was done to the session since.
    assert (round_why["mahjic"]["rating_change"], round_why["superseded_by"]) == (16.0, new)
    assert round_why["corrections"] == [
        {
            "fact_seq": fact,
            "cause": "correction",
            "reason": "wrong_result",
            "replaced_by": new,
        }
    ]


async def test_a_session_that_is_voided_and_then_corrected_says_both(told: Told) -> None:
    nights = await three_nights(told)
    void = await told.void(nights[0])
    again = await told.void(nights[0])
    new, fact = await told.correct(nights[0], Round({ADA: 1, BO: 0}))
    await told.world.follow()
    entries = await told.history(ADA)
    # What a second void left as it was is no entry.
    assert [each["change_id"] for each in entries[2:]] == [f"{ADA}.{void}", f"{ADA}.{fact}"]
    assert again == void + 1
    assert entries[0]["superseded_by"] == new
    why = await told.why(ADA, f"{ADA}.2.1")
    assert [(each["fact_seq"], each["cause"]) for each in why["corrections"]] == [
        (void, "void"),
        (fact, "correction"),
    ]
    # It is as it was before the void.
    assert entries[-1]["mahjic"]["rating_after"] == entries[1]["mahjic"]["rating_after"]


async def test_the_page_of_a_survivor_lists_the_changes_of_all_members(told: Told) -> None:
    await three_nights(told)
    merge = await told.merge(DREW, ADA)
    await told.season.play("club", Round({DREW: 1, BO: 0}))
    await told.season.tell(PlayersMerged(CY, mj(5)))
    await told.world.follow()
    entries = await told.history(ADA)
    # Drew had not played, so the merge moved nobody.
    assert [each["change_id"] for each in entries] == [f"{ADA}.2.1", f"{ADA}.4.1", f"{ADA}.6.1"]
    assert merge == 5
    entries = await told.history(mj(5))
    assert [(each["change_id"], each["played_as"]) for each in entries] == [
        (f"{CY}.3.1", CY),
        (f"{CY}.4.1", CY),
        (f"{CY}.7", CY),
        (f"{mj(5)}.7", None),
    ]
    for who in (ADA, mj(5)):
        told.assert_adds_up(who, await told.history(who))
    assert entries[-1]["merged"] == {
        "player": {"player_id": mj(5), "player": mj(5)},
        "into": {"player_id": mj(5), "player": mj(5)},
    }
    assert entries[2]["mahjic"]["rating_after"] == 1500.0
    # A change is had by its id for good, on the page of whoever has it now.
    why = await told.why(mj(5), f"{CY}.3.1")
    assert (why["player_id"], why["played_as"]) == (mj(5), CY)
    # The rounds were Cy's before, and are the survivor's after.
    why = await told.why(mj(5), f"{CY}.7")
    assert [each["after"] for each in why["rounds"]] == [None, None]
    why = await told.why(mj(5), f"{mj(5)}.7")
    assert [each["before"] for each in why["rounds"]] == [None, None]
    # Opponents see the survivor.
    opponents = [each["opponents"] for each in await told.history(BO) if each["type"] == "round"]
    assert [each[0]["player_id"] for each in opponents] == [ADA, mj(5), ADA]


async def test_a_merged_id_redirects_until_it_is_unmerged(told: Told) -> None:
    await three_nights(told)
    await told.merge(CY, DREW)
    await told.merge(DREW, mj(5))
    await told.world.follow()
    for path in (
        "",
        "/history",
        "/history?limit=1&from=2026-01-01",
        f"/changes/{CY}.3.1",
        f"/changes/{CY}.5?limit=1",
    ):
        answer = await told.world.client.get(f"/v1/players/{CY.lower()}{path}")
        assert answer.status_code == 308, path
        assert answer.headers["Location"] == f"/v1/players/{mj(5)}{path}"
        # It may not be kept for good: a merge can be undone.
        assert answer.headers["Cache-Control"] == "public, max-age=5"
        assert (await told.world.client.get(answer.headers["Location"])).status_code == 200
    await told.unmerge(DREW, mj(5))
    await told.world.follow()
    answer = await told.world.client.get(f"/v1/players/{CY}/history")
    assert answer.headers["Location"] == f"/v1/players/{DREW}/history"
    await told.unmerge(CY, DREW)
    await told.world.follow()
    entries = await told.history(CY)
    assert [each["cause"] for each in entries[2:]] == ["merge", "unmerge"]
    for who in (CY, DREW, mj(5)):
        told.assert_adds_up(who, await told.history(who))
    assert (await told.world.ask(f"/v1/players/{DREW}/changes/{CY}.3.1")).status_code == 404


async def test_a_hidden_player_is_no_survivor_to_anybody_and_named_in_no_correction(
    told: Told,
) -> None:
    await three_nights(told)
    await told.merge(CY, DREW)
    await told.season.change(DREW, is_private=True)
    await told.season.change(CY, is_private=True)
    await told.world.follow()
    unknown = await told.world.ask(f"/v1/players/{mj(99)}/history")
    for path in (f"{CY}/history", f"{DREW}/history", f"{CY}/changes/{CY}.3.1"):
        answer = await told.world.ask(f"/v1/players/{path}")
        assert answer.status_code == 404
        assert answer.json() | {"instance": ""} == unknown.json() | {"instance": ""}
    await told.season.play("club", Round({ADA: 1, BO: 0}))
    text = (await told.world.ask(f"/v1/players/{ADA}/history")).text
    moved = [each for each in await told.history(BO) if each["type"] == "correction"]
    assert DREW not in text
    assert CY not in text
    hidden = {"player_id": None, "player": "a private player"}
    assert all(each["merged"] == {"player": hidden, "into": hidden} for each in moved)
    why = await told.why(ADA, f"{ADA}.4.1")
    assert why["mahjic"]["lines"][0]["player_id"] is None


async def test_pages_stand_on_the_verdicts_while_the_tables_of_ingest_are_ahead(
    told: Told,
) -> None:
    await three_nights(told)
    await told.world.follow()
    before = {who: await told.history(who) for who in (CY, DREW)}
    await told.merge(CY, DREW)
    # The verdict is not in the view, so the page adds up to the rating that everybody sees.
    assert await told.history(DREW) == before[DREW] == []
    answer = await told.world.client.get(f"/v1/players/{CY}/history")
    assert answer.status_code == 308
    await told.world.follow()
    merged = await told.history(DREW)
    assert len(merged) == len(before[CY]) + 2
    await told.season.change(DREW, is_private=True)
    await told.season.change(CY, is_private=True)
    await told.unmerge(CY, DREW)
    await told.season.change(DREW, is_private=False)
    # Drew is shown again, but the view still has the changes of Cy on that page.
    assert (await told.world.ask(f"/v1/players/{DREW}/history")).status_code == 404
    await told.world.follow()
    shown = await told.history(DREW)
    assert [each["change_id"] for each in shown] == [f"{DREW}.5", f"{DREW}.6"]
    assert shown[0]["merged"]["player"] == {"player_id": None, "player": "a private player"}


async def test_pages_of_any_length_hold_rounds_and_corrections_in_the_order_of_the_log(
    told: Told,
) -> None:
    nights = await three_nights(told)
    await told.season.play("club", Round({ADA: 1, BO: 0, mj(6): 2}))
    await told.merge(CY, DREW)
    await told.void(nights[0], nights[2])
    await told.correct(nights[1], Round({BO: 0, CY: 1}), Round({BO: 2, CY: 1}))
    await told.season.tell(FormulaAdoptedFromBeginning(*SCALED))
    await told.season.play("club", Round({ADA: 1, CY: 0, BO: 0, mj(6): 2}))
    await told.unmerge(CY, DREW)
    await told.world.follow()
    for who in (ADA, BO, CY, DREW):
        whole = await told.history(who)
        told.assert_adds_up(who, whole)
        places = [(each["change_id"].split(".")[1:], each["change_id"]) for each in whole]
        assert places == sorted(places, key=lambda each: [int(part) for part in each[0]])
        for limit in (1, 2, 3):
            assert await told.history(who, limit=limit) == whole
        profile = await told.world.get(f"/v1/players/{who}")
        assert profile["rating"] == whole[-1]["mahjic"]["rating_after"]
        # By its date, a correction belongs to the day of its fact, not to that of the session.
        rounds = await told.history(who, to="2026-01-31", limit=1)
        assert rounds == [each for each in whole if each["type"] == "round"]
        corrections = await told.history(who, **{"from": "2026-02-01", "to": "2026-02-01"})
        assert corrections == [each for each in whole if each["type"] == "correction"]
    (formula,) = [each for each in await told.history(BO) if each.get("cause") == "formula"]
    assert (formula["formula"], formula["reason"]) == ("mahjic-elo/2-scaled", None)
    assert (await told.world.get("/v1/formula"))["name"] == "mahjic-elo/2-scaled"


async def test_the_lines_of_a_scaled_formula_divided_by_the_opponents_are_the_change(
    told: Told,
) -> None:
    await told.season.tell(FormulaAdopted(*SCALED))
    await told.season.play("club", Round({ADA: 1, CY: 0, BO: 2, mj(6): 2}))
    await told.world.follow()
    for who in (ADA, BO, CY):
        pool = (await told.why(who, f"{who}.3.1"))["mahjic"]
        assert pool["divided_by"] == 3
        total = sum(line["pair_gain_nano"] for line in pool["lines"]) + pool["rounding_nano"]
        assert total == 3 * round(pool["rating_change"] * 100) * 10**7


async def test_a_fact_that_voids_many_sessions_lists_the_first_of_them(told: Told) -> None:
    nights = [(await told.season.play("club", Round({ADA: 1, BO: 0})))[0] for _ in range(25)]
    await told.void(*nights)
    await told.world.follow()
    last = (await told.history(ADA))[-1]
    assert (last["sessions"], last["sessions_count"]) == (nights[:20], 25)
    assert all(each["voided"] for each in (await told.history(ADA))[:-1])
    # The rounds of the reason come in pages too.
    rounds: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        why = await told.why(ADA, last["change_id"], limit=10, **cursor)
        rounds += why["rounds"]
        if why["next_cursor"] is None:
            break
        cursor = {"cursor": why["next_cursor"]}
    assert [each["session_id"] for each in rounds] == nights
    assert why["rounds_count"] == 25
    theirs = f"/v1/players/{BO}/changes/{BO}.{last['fact_seq']}"
    answer = await told.world.ask(theirs, cursor)
    assert (answer.status_code, answer.json()["code"]) == (422, "wrong_cursor")


async def test_a_service_that_keeps_no_history_of_that_length_lists_no_rounds(
    database: Database,
) -> None:
    async with a_told_season(database, rounds_max=2) as told:
        nights = await three_nights(told)
        fact = await told.void(nights[0])
        await told.world.follow()
        why = await told.why(ADA, f"{ADA}.{fact}")
        assert (why["rounds_count"], why["rounds"], why["next_cursor"]) == (None, None, None)
        assert (why["mahjic"]["rating_change"], why["sessions"]) == (-15.24, [nights[0]])
