"""Another address of mine: what a merge would move, why it can't be, and what came of it."""

import pytest

from tests.ingest.changes.asking import caught_up
from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.test_forget_at_once import LOCK_HEAD, ada_of_two_players, holding
from tests.site.me.whole_life import ADA, WORK, add_address
from tests.site.players.reading import PageRead

PATH = "/me/merge"
DONE = "/me/merge/done"
READ_LINKS = """
SELECT player_id, merged_into FROM mahjic.players WHERE merged_into IS NOT NULL ORDER BY 1
"""
READ_TOLD = "SELECT address FROM mahjic.mails WHERE plain LIKE '%Two players of yours%' ORDER BY 1"


async def ids(life: Living) -> tuple[str, str]:
    return await life.player_of(ADA), await life.player_of(WORK)


async def links(life: Living) -> list[tuple[str, str]]:
    return [tuple(row) for row in await life.pool.fetch(READ_LINKS)]


def form(player: str, into: str, seen: str = "visible") -> dict[str, str]:
    return {"player": player, "into": into, "seen": seen}


async def words(visitor: Visitor, path: str = PATH) -> str:
    return PageRead((await visitor.get(path)).text).text


async def test_the_page_shows_what_would_move_and_of_both(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    await caught_up(life.service)
    ada, work = await ids(life)
    page = PageRead((await visitor.get(PATH)).text)
    assert f"{work} joins {ada}" in page.text
    assert f"1 round moves to {ada}, played on Jan 2, 2026." in page.text
    assert "They were sent by: a-club." in page.text
    (table,) = page.all("table")
    rows = {row[0]: row[1:] for row in table.rows()}
    assert rows["Games"] == ["3", "1"]
    assert rows["Sessions"] == ["1", "1"]
    assert rows["Place on the leaderboard"] == ["none", "none"]
    assert all(each.isdigit() and int(each) > 1500 for each in rows["Rating"])
    turned = await words(visitor, f"{PATH}?keep={work}")
    assert f"{ada} joins {work}" in turned


@pytest.mark.parametrize("seen", ["visible", "private"])
async def test_they_are_one_and_seen_as_chosen(life: Living, seen: str) -> None:
    visitor = await ada_of_two_players(life)
    ada, work = await ids(life)
    done = await visitor.send(PATH, form(work, ada, seen))
    assert (done.status_code, done.headers["location"]) == (303, DONE)
    assert await links(life) == [(work, ada)]
    page = await words(visitor, DONE)
    assert f"You are {ada} now, and {work} leads there." in page
    assert ("nobody else sees you" in page) == (seen == "private")
    shown = await life.service.client.get(f"/v1/players/{ada}")
    assert shown.status_code == (404 if seen == "private" else 200)
    assert [row[0] for row in await life.pool.fetch(READ_TOLD)] == sorted([ADA, WORK])
    assert "stand for one player" in await words(visitor)


async def test_a_private_one_hides_both_unless_it_is_chosen_otherwise(life: Living) -> None:
    await life.play({"ada": 2, "ben": 1})
    await life.play({f"PRIVATE:{WORK}": 1, "cy": 0}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    await add_address(visitor, WORK)
    page = PageRead((await visitor.get(PATH)).text)
    chosen = [each for each in page.all("input", type="radio") if "checked" in each.attributes]
    assert [each.attributes["value"] for each in chosen] == ["private"]
    ada, work = await ids(life)
    unsaid = await visitor.send(PATH, {"player": work, "into": ada})
    assert unsaid.status_code == 422
    assert "Say whether others may see you" in unsaid.text
    assert await links(life) == []


async def test_two_who_sat_at_one_table_are_not_one_and_the_page_says_where(
    life: Living,
) -> None:
    met = await life.play({"ada": 2, WORK: 1})
    visitor = await life.logged_in(ADA)
    await add_address(visitor, WORK)
    page = PageRead((await visitor.get(PATH)).text)
    assert "sat at the same table" in page.text
    assert f"/me/sessions/{met}/dispute" in page.links()
    assert not list(page.all("form", action=PATH))
    ada, work = await ids(life)
    refused = await visitor.send(PATH, form(work, ada))
    assert refused.status_code == 409
    assert "sat at the same table" in refused.text
    assert await links(life) == []


async def test_beyond_three_staff_decide(life: Living) -> None:
    more = [f"ada{number}@example.org" for number in range(4)]
    await life.play({"ada": 2, "ben": 1})
    for number, address in enumerate(more):
        await life.play({address: 1, "cy": 0}, on=f"2026-01-0{number + 2}")
    visitor = await life.logged_in(ADA)
    account = await life.pool.fetchval("SELECT account_id FROM mahjic.addresses")
    for address in more:
        await life.pool.execute(
            "INSERT INTO mahjic.addresses VALUES ($1, $2, now())", address, account
        )
    ada = await life.player_of(ADA)
    statuses = [
        (await visitor.send(PATH, form(await life.player_of(address), ada))).status_code
        for address in more
    ]
    assert statuses == [303, 303, 303, 409]
    assert len(await links(life)) == 3
    assert "by yourself already" in await words(visitor)


async def test_somebody_elses_player_is_never_touched(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    ada, work = await ids(life)
    ben = await life.player_of("ben@example.com")
    for player, into in ((ben, ada), (ada, ben), (ben, work), ("MJ-7K3Q9XZM", ada), ("", "")):
        answer = await visitor.send(PATH, form(player, into))
        assert answer.status_code == 404, (player, into)
    for keep in (ben, "MJ-7K3Q9XZM", "x"):
        assert ben not in await words(visitor, f"{PATH}?keep={keep}")
    assert await links(life) == []


async def test_an_address_not_proved_is_not_ones_own(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    ada, work = await ids(life)
    await life.pool.execute("UPDATE mahjic.addresses SET proved_at = NULL WHERE address = $1", WORK)
    assert (await visitor.send(PATH, form(work, ada))).status_code == 404
    assert "stand for one player" in await words(visitor)


async def test_two_windows_at_once_merge_once(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    ada, work = await ids(life)
    async with holding(life, LOCK_HEAD) as held:
        await held.then(visitor.send(PATH, form(work, ada)))
        await held.then(visitor.send(PATH, form(work, ada)))
    assert [each.headers["location"] for each in await held.answers()] == [DONE] * 2
    assert await links(life) == [(work, ada)]
    assert len(await life.pool.fetch(READ_TOLD)) == 2


@pytest.mark.parametrize("is_merged_first", [True, False])
async def test_forgotten_at_the_same_time_nothing_is_left(
    life: Living, is_merged_first: bool
) -> None:
    visitor = await ada_of_two_players(life)
    ada, work = await ids(life)
    sent = [(PATH, form(work, ada)), ("/me/forget", {"typed": work})]
    async with holding(life, LOCK_HEAD) as held:
        for path, fields in sent if is_merged_first else reversed(sent):
            await held.then(visitor.send(path, fields))
    answers = await held.answers()
    merged, forgotten = answers if is_merged_first else reversed(answers)
    assert forgotten.headers["location"] == "/forgotten"
    assert merged.status_code == (303 if is_merged_first else 401)
    assert await life.holding("ada@", WORK) == {}
    assert not await visitor.is_logged_in()


async def test_whoever_has_one_player_is_told_how_to_add_another(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    assert "Nobody has sent results" in await words(visitor)
    assert (await visitor.get(DONE)).headers["location"] == PATH
    await life.play({"ada": 1, "ben": 0})
    page = await words(visitor)
    assert f"stand for one player: {await life.player_of(ADA)}." in page


async def test_the_pages_around_it_lead_there(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    chosen = {"name": "", "region": "", "seen": "visible", "mail": "nothing"}
    await visitor.send("/me/welcome", chosen)
    await caught_up(life.service)
    for path in ("/me", "/account"):
        assert f'href="{PATH}"' in (await visitor.get(path)).text
