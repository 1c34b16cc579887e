"""A chosen name is on every page and answer at once; whoever goes private is on none at once."""

import asyncio

import httpx

from tests.projections.season import mj
from tests.site.me.conftest import ADA, BEA, CARA, CHOSEN, DORA, Town
from tests.site.players.reading import PageRead

FOUR = {ADA: 2, BEA: 1, CARA: 0, DORA: 1}
CHOSEN_NAME = "Ada Lovelace"
UNKNOWN = mj(99)


async def a_board(town: Town) -> tuple[str, str]:
    """Let Ada and Bea be Verified, and play enough to have places; return their ids."""
    await town.play(FOUR)
    ids = [await town.id_of(each) for each in (ADA, BEA)]
    key = await town.running.operator_key()
    for who in ids:
        answer = await town.running.client.put(
            f"/v1/admin/players/{who}/verification",
            json={"verified": True},
            headers={"Authorization": f"Bearer {key}"},
        )
        assert answer.status_code in {200, 204}, answer.text
    for day in range(1, 4):
        await town.play(FOUR, on=f"2026-02-0{day}")
    return ids[0], ids[1]


def places(ada: str, bea: str, change: str) -> tuple[str, ...]:
    """Return every address at which others read of Ada."""
    return (
        "/",
        "/leaderboard",
        "/leaderboard/west",
        "/leaderboard?min_games=1",
        "/sources/a-club",
        f"/players/{ada}",
        f"/players/{ada}/chart",
        f"/players/{ada}/changes/{change}",
        f"/players/{bea}",
        f"/compare/{ada}/{bea}",
        f"/compare?one={ada}",
        "/find?q=lovel",
        f"/find?q={ada}&as=list",
        "/v1/leaderboard",
        "/v1/leaderboard/west",
        f"/v1/players/{ada}",
        f"/v1/players/{bea}/history",
        "/v1/players/search?q=lovelace",
    )


async def read_all(town: Town, paths: tuple[str, ...]) -> dict[str, httpx.Response]:
    browser = await town.new_browser()
    return {path: await browser.get(path) for path in paths}


async def caught_up(town: Town) -> None:
    """Wait until the views have heard of the last change of people."""
    last = await town.house.pool.fetchval("SELECT people_seq FROM mahjic.head")
    async with asyncio.timeout(30):
        while await town.house.pool.fetchval(
            "SELECT min(people_seq) < $1 FROM mahjic.view_builds", last
        ):
            await asyncio.sleep(0.02)


async def test_a_name_is_everywhere_and_going_private_takes_it_away_everywhere(
    town: Town,
) -> None:
    ada, bea = await a_board(town)
    member = await town.welcomed(ADA, name=CHOSEN_NAME, region="west")
    await caught_up(town)
    page = await member.page("/me/history")
    change = next(each for each in page.main.links() if each.startswith("/me/why/"))
    paths = places(ada, bea, change.removeprefix("/me/why/"))
    shown = await read_all(town, paths)
    for path, answer in shown.items():
        assert answer.status_code == 200, path
        assert CHOSEN_NAME in answer.text, path
    await member.send("/me/settings", {**CHOSEN, "name": CHOSEN_NAME, "seen": "private"})
    # No waiting: what anybody reads from now on is without her.
    hidden = await read_all(town, paths)
    for path, answer in hidden.items():
        assert CHOSEN_NAME not in answer.text, path
        if ada not in path:
            assert ada not in answer.text, path
        elif not path.startswith("/v1"):
            nobody = (await town.ask(path.replace(ada, UNKNOWN))).text
            assert answer.text.replace(ada, "WHO") == nobody.replace(UNKNOWN, "WHO"), path
        assert answer.headers.get("etag") != shown[path].headers.get("etag", "none"), path
    assert "a private player" in hidden[f"/players/{bea}"].text
    sitemaps = await read_all(town, ("/sitemap.xml", "/sitemap-players-1-of-1.xml"))
    assert all(ada not in each.text for each in sitemaps.values())
    # She herself reads everything.
    assert PageRead((await member.get("/me")).text).main.one("h1").text == CHOSEN_NAME
    assert CHOSEN_NAME in (await member.page(change)).main.text
    # And back.
    await member.send("/me/settings", {**CHOSEN, "name": CHOSEN_NAME, "region": "west"})
    await caught_up(town)
    for path, answer in (await read_all(town, paths)).items():
        assert CHOSEN_NAME in answer.text, path


async def test_another_name_takes_the_place_of_the_first_everywhere(town: Town) -> None:
    ada, bea = await a_board(town)
    member = await town.welcomed(ADA, name=CHOSEN_NAME, region="west")
    await caught_up(town)
    page = await member.page("/me/history")
    change = next(each for each in page.main.links() if each.startswith("/me/why/"))
    paths = places(ada, bea, change.removeprefix("/me/why/"))
    await member.send("/me/settings", {**CHOSEN, "name": "Augusta King", "region": "west"})
    await caught_up(town)
    for path, answer in (await read_all(town, paths)).items():
        assert CHOSEN_NAME not in answer.text, path
        if "lovel" not in path:
            assert "Augusta King" in answer.text, path


async def test_nothing_of_names_is_on_the_logs(town: Town) -> None:
    await a_board(town)
    await town.welcomed(ADA, name=CHOSEN_NAME)
    for table in ("facts", "verdicts"):
        rows = await town.house.pool.fetch(f"SELECT body FROM mahjic.{table}")
        assert rows
        assert all(CHOSEN_NAME.encode() not in bytes(row["body"]) for row in rows)
