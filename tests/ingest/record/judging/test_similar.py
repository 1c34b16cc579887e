"""Which rounds are similar (case 230, decision 0024): by rule, by definition, and on a database."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import asyncpg
import pytest

from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.similar import SESSIONS_MAX, SimilarRound, SimilarSession, leads
from shared.errors import MahjicError
from tests.ingest.changes.linking.merges import id_of, merge, submit, unmerge
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import SOURCES, a_submission, ids_and_times_of, record
from tests.log.chances import seeded_chance

HOME, AWAY = SOURCES
IDS_AND_TIMES = ids_and_times_of(random.Random(2))
FOUR = a_round(ada=2, bo=1, cy=1, dee=0)


def told(judgment: Judgment) -> list[tuple[int, str | None]]:
    """Return round and session of what is told to be similar; the session without its prefix."""
    assert isinstance(judgment, Accepted | Replayed), judgment
    return [(each.round_no, each.session_id) for each in judgment.similar]


def id_of_session(number: int) -> str:
    return a_submission(number, a_session(FOUR)).session_id


FIRST = id_of_session(1)


@pytest.mark.parametrize(
    ("on_record", "sent", "own", "elsewhere"),
    [
        pytest.param(FOUR, a_round(ada=2, bo=2, cy=1, dee=0), True, True, id="a number"),
        pytest.param(FOUR, a_round(ada=3, bo=1, cy=1, dee=0), True, True, id="a game more"),
        pytest.param(FOUR, a_round(ada=2, bo=1, cy=1, dee2=0), True, True, id="a mistyped address"),
        pytest.param(FOUR, a_round(dee=0, bo=0, eve=4, ada=1), True, True, id="all but one"),
        pytest.param(FOUR, a_round(ada=2, bo=1, eve=1, fay=0), False, False, id="all but two"),
        pytest.param(FOUR, a_round(ada=2, bo=1, cy=1), True, True, id="one left out"),
        pytest.param(FOUR, a_round(ada=2, bo=1), False, False, id="two left out"),
        pytest.param(
            FOUR, a_round({"ada": 2, "bo": 1, "cy": 1, "bob@mahjic.org": 0}), True, True, id="Bob"
        ),
        pytest.param(
            a_round({"ada": 2, "bo": 1, "bob@mahjic.org": 1}),
            a_round({"ada": 2, "cy": 2, "bob@mahjic.org": 1}),
            False,
            False,
            id="Bob is nobody in common",
        ),
        pytest.param(a_round(ada=2, bo=1), a_round(ada=1, bo=2), True, True, id="two, a number"),
        pytest.param(a_round(ada=2, bo=1), a_round(ada=2, bo2=1), True, False, id="two, mistyped"),
        pytest.param(a_round(ada=2, bo=1), a_round(ada=1, cy=2), False, False, id="two, another"),
        pytest.param(
            a_round(ada=2, bo=1), a_round(ada=2, cy=1, wall_games=1), False, False, id="two, games"
        ),
        pytest.param(
            {**FOUR, "ref": "1"}, a_round(ada=1, bo=1, cy=1, dee=1, ref="2"), False, True, id="refs"
        ),
        pytest.param(
            {**FOUR, "ref": "1"}, a_round(ada=1, bo=1, cy=1, dee=1), True, True, id="one ref"
        ),
    ],
)
async def test_what_is_similar_to_a_session_of_ones_own_and_of_others(
    pool: asyncpg.Pool, on_record: Claim, sent: Claim, own: bool, elsewhere: bool
) -> None:
    await submit(pool, 1, a_session(on_record), IDS_AND_TIMES)
    without_ref = {name: said for name, said in sent.items() if name != "ref"}
    earlier = a_session(without_ref, on="2026-01-30")
    by_others = await submit(pool, 2, earlier, IDS_AND_TIMES, source=AWAY)
    assert told(by_others) == [], "Another day is another day."
    by_others = await submit(pool, 3, a_session(sent), IDS_AND_TIMES, source=AWAY)
    assert told(by_others) == ([(0, None)] if elsewhere else [])
    await pool.execute("UPDATE mahjic.submissions SET status = 'voided' WHERE source = $1", AWAY)
    again = await submit(pool, 4, a_session(sent), IDS_AND_TIMES)
    assert told(again) == ([(0, FIRST)] if own else [])


@pytest.mark.parametrize("of_others", [1, 3])
async def test_of_other_sources_it_is_told_once_that_there_is_one(
    pool: asyncpg.Pool, of_others: int
) -> None:
    night = [a_round(ada=2, bo=1, cy=1, dee=number) for number in range(of_others)]
    for number, each in enumerate(night):
        await submit(pool, number + 1, a_session(each), IDS_AND_TIMES, source=AWAY)
    mine = [a_round(ada=1, bo=0, cy=0, dee=number + 3) for number in range(2)]
    assert told(await submit(pool, 9, a_session(*mine), IDS_AND_TIMES)) == [(0, None)]


async def test_points_are_numbers_too_and_the_kind_of_game_is_none(pool: asyncpg.Pool) -> None:
    rounds = [a_round(ada=1, bo=1, cy=0, points=points) for points in ([1, 0, -1], [2, 0, -2])]
    await submit(pool, 1, a_session(rounds[0], game_type="league"), IDS_AND_TIMES)
    other_points = await submit(pool, 2, a_session(rounds[1], game_type="league"), IDS_AND_TIMES)
    assert told(other_points) == [(0, FIRST)]
    social = a_session(rounds[0], allow_duplicate=True)
    assert told(await submit(pool, 3, social, IDS_AND_TIMES)) == [], "It is on record as it is."


async def test_rounds_of_one_submission_are_not_held_against_each_other(
    pool: asyncpg.Pool,
) -> None:
    night = a_session(*(a_round(ada=number, bo=1, cy=1, dee=1) for number in range(4)))
    accepted = await submit(pool, 1, night, IDS_AND_TIMES)
    assert told(accepted) == []
    again = await submit(pool, 2, night, IDS_AND_TIMES)
    assert (isinstance(again, Replayed), told(again)) == (True, [])
    on_purpose = await submit(pool, 3, {**night, "allow_duplicate": True}, IDS_AND_TIMES)
    assert isinstance(on_purpose, Accepted)
    assert (told(on_purpose), on_purpose.on_record) == ([], (True,) * 4)


async def test_the_most_similar_session_is_named_and_the_newest_of_those(
    pool: asyncpg.Pool,
) -> None:
    for number, each in enumerate(
        [FOUR, a_round(ada=3, bo=1, cy=1, dee=0), a_round(ada=2, bo=1, cy=1, eve=4)], start=1
    ):
        await submit(pool, number, a_session(each), IDS_AND_TIMES)
    sent = a_session(a_round(gus=1, hal=0, ida=0, jo=0), a_round(ada=0, bo=0, cy=0, dee=1))
    accepted = await submit(pool, 9, sent, IDS_AND_TIMES)
    assert isinstance(accepted, Accepted)
    assert accepted.similar == (SimilarRound(1, id_of_session(2), are_same_people=True),)


async def test_what_is_voided_or_corrected_is_out_of_the_way(pool: asyncpg.Pool) -> None:
    for number, status in enumerate(("voided", "corrected"), start=1):
        await submit(pool, number, a_session(a_round(ada=number, bo=1, cy=1, dee=0)), IDS_AND_TIMES)
        await pool.execute(
            "UPDATE mahjic.submissions SET status = $2 WHERE session_id = $1",
            id_of_session(number),
            status,
        )
    assert told(await submit(pool, 3, a_session(FOUR), IDS_AND_TIMES)) == []


@pytest.mark.parametrize("is_one_group", [True, False])
async def test_refuse_records_nothing_and_burns_no_key(
    pool: asyncpg.Pool, is_one_group: bool
) -> None:
    changed = a_session(a_round(ada=1, bo=1, cy=1, dee=1))
    sent = [
        a_submission(1, a_session(FOUR)),
        a_submission(2, {**changed, "if_similar": "refuse"}, key="k"),
        a_submission(3, changed, key="k"),
    ]
    groups = [sent] if is_one_group else [[each] for each in sent]
    judged = [each for group in groups for each in await record(pool, group, IDS_AND_TIMES)]
    refused = judged[1]
    assert isinstance(refused, SimilarSession)
    assert refused.extra["rounds"] == [{"pointer": "/rounds/0", "session_id": FIRST}]
    assert told(judged[2]) == [(0, FIRST)]
    repeated = await submit(pool, 4, {**changed, "if_similar": "refuse"}, IDS_AND_TIMES, key="k")
    assert (isinstance(repeated, Replayed), told(repeated)) == (True, [(0, FIRST)])


async def test_what_others_hold_is_no_reason_to_refuse(pool: asyncpg.Pool) -> None:
    await submit(pool, 1, a_session(FOUR), IDS_AND_TIMES, source=AWAY)
    mine = a_session(a_round(ada=1, bo=1, cy=1, dee=1), if_similar="refuse")
    assert told(await submit(pool, 2, mine, IDS_AND_TIMES)) == [(0, None)]


@pytest.mark.parametrize("is_unmerged", [False, True])
async def test_merged_people_are_one_beside_other_sources_alone(
    pool: asyncpg.Pool, is_unmerged: bool
) -> None:
    old = a_round({"ada.old": 2, "bo.old": 1, "cy": 0, "dee": 0})
    await submit(pool, 1, a_session(old), IDS_AND_TIMES)
    await submit(pool, 2, a_session(a_round(ada=1, bo=0), on="2026-01-01"), IDS_AND_TIMES)
    for who in ("ada", "bo"):
        ids = [await id_of(pool, f"{each}@example.com") for each in (f"{who}.old", who)]
        await merge(pool, ids[0], ids[1], IDS_AND_TIMES)
        if is_unmerged:
            await unmerge(pool, ids[0], IDS_AND_TIMES)
    by_new = a_session(a_round(ada=1, bo=1, cy=1, dee=0))
    # A source compares whom it named itself, and learns of nobody who is merged.
    assert told(await submit(pool, 3, by_new, IDS_AND_TIMES)) == []
    await pool.execute(
        "UPDATE mahjic.submissions SET status = 'voided' WHERE session_id <> $1", FIRST
    )
    by_others = await submit(pool, 4, by_new, IDS_AND_TIMES, source=AWAY)
    assert told(by_others) == ([] if is_unmerged else [(0, None)])


async def test_the_newest_sessions_of_a_day_are_looked_at_however_many_there_are(
    pool: asyncpg.Pool,
) -> None:
    others = [a_round({f"x{number}": 1, "ada": 0, "bo": 0}) for number in range(SESSIONS_MAX)]
    first = [FOUR, *others]
    for number, each in enumerate(first, start=1):
        await submit(pool, number, a_session(each), IDS_AND_TIMES)
    sent = a_session(a_round(ada=1, bo=1, cy=1, dee=1))
    assert told(await submit(pool, 99, sent, IDS_AND_TIMES)) == []
    last = a_round({f"x{SESSIONS_MAX - 1}": 0, "ada": 1, "bo": 1})
    expected = [(0, id_of_session(SESSIONS_MAX + 1))]
    assert told(await submit(pool, 100, a_session(last), IDS_AND_TIMES)) == expected


def test_a_similar_table_is_found_by_whom_it_must_hold() -> None:
    for new in ([], ["a"], ["d"]):
        found = leads([each for each in "abcd" if each not in new], 4)
        for missing in "abcd":
            left = set("abcd") - {missing}
            if left.isdisjoint(new):
                assert left & set(found), "Each table without one of them holds a lead."
    assert not leads(["c"], 3)
    assert len(leads([*"abcd"], 4)) == 2


@dataclass(frozen=True)
class Table:
    """A round on record, as the definition needs it."""

    number: int
    source: str
    day: str
    games: int
    won: Mapping[str, int]
    ref: str | None


def tables(number: int, source: str, claim: Claim) -> Iterator[Table]:
    for played in claim["rounds"]:
        won = {seat["email"]: seat["mahjongs"] for seat in played["players"]}
        won.pop("bob@mahjic.org", None)
        games = played["players"][0]["games_played"]
        yield Table(number, source, claim["session_date"], games, won, played.get("ref"))


def is_similar(one: Table, other: Table) -> bool:
    """Tell it as decision 0024 says it."""
    if one.day != other.day:
        return False
    is_own = one.source == other.source
    if is_own and one.ref and other.ref:
        return False
    common, larger = set(one.won) & set(other.won), max(len(one.won), len(other.won))
    if larger - len(common) > 1:
        return False
    if len(common) >= 2:
        return True
    numbers = [(each.games, [each.won[who] for who in common]) for each in (one, other)]
    return is_own and numbers[0] == numbers[1]


def some_claim(chance: random.Random, number: int) -> Claim:
    rounds = []
    for round_no in range(chance.choice([1, 1, 2])):
        people = chance.sample(["a", "b", "c", "d", "e", "bob@mahjic.org"], chance.choice([3, 4]))
        won = {who: chance.randrange(3) for who in people}
        ref = f"{number}/{round_no}" if chance.random() < 0.3 else None
        # Of so many wall games no two rounds have the same, so none is a duplicate.
        rounds.append(a_round(won, wall_games=1 + (number * 2 + round_no) % 150, ref=ref))
    # On a day no more than are compared of one player.
    return a_session(*rounds, on=f"2026-01-{1 + number % (70 // SESSIONS_MAX):02}")


async def test_whatever_is_sent_in_whatever_groups_is_compared_by_definition(
    pool: asyncpg.Pool,
) -> None:
    chance = seeded_chance()
    sent = [(some_claim(chance, number), chance.choice(SOURCES)) for number in range(70)]
    held: list[Table] = []
    queue = list(enumerate(sent, start=1))
    seen: set[str | None] = set()
    while queue:
        size = chance.choice([1, 2, 7])
        group, queue = queue[:size], queue[size:]
        submissions = [
            a_submission(number, claim, source=source) for number, (claim, source) in group
        ]
        for (number, (claim, source)), judged in zip(
            group, await record(pool, submissions, IDS_AND_TIMES), strict=True
        ):
            assert isinstance(judged, Accepted), judged
            check(judged, list(tables(number, source, claim)), held)
            held += tables(number, source, claim)
            seen |= {each.session_id for each in judged.similar}
    assert None in seen
    assert len(seen) > 5


def check(judged: Accepted, own: list[Table], held: list[Table]) -> None:
    found = {each.round_no: each for each in judged.similar if each.session_id is not None}
    for round_no, table in enumerate(own):
        like = [each for each in held if each.source == table.source and is_similar(table, each)]
        assert (round_no in found) == bool(like)
        if like:
            same = [each for each in like if set(each.won) == set(table.won)]
            newest = max(each.number for each in same or like)
            assert found[round_no].session_id == id_of_session(newest)
            assert found[round_no].are_same_people == bool(same)
    is_elsewhere = any(
        each.source != table.source and is_similar(table, each) for table in own for each in held
    )
    assert is_elsewhere == any(each.session_id is None for each in judged.similar)


def test_it_is_told_with_what_to_do() -> None:
    error: MahjicError = SimilarSession([SimilarRound(2, FIRST, are_same_people=True)])
    assert (error.code, error.status) == ("similar_round", 409)
    assert "round 2 " in error.detail
