"""Private, erased and unknown people look the same on every page, whatever is asked of it."""

from typing import Any

import pytest

from services.site.reads import PlayerReads
from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld

ALICE, BO, PRIVATE, ERASED = (mj(number) for number in range(1, 5))
UNKNOWN = mj(99)
UNSEEN = (PRIVATE, ERASED, UNKNOWN)
PAGES = (
    "/players/{}",
    "/players/{}?cursor=WzFd",
    "/players/{}/changes/{}.2.1",
    "/players/{}/changes/{}.2",
    f"/players/{{}}/changes/{ALICE}.2.1",
    f"/compare/{ALICE}/{{}}",
    f"/compare/{{}}/{ALICE}",
    "/compare/{}/{}",
    f"/compare?one={{}}&other={ALICE}",
    "/compare?one={}",
    "/find?q={}",
    "/find?q={}&as=list",
)


@pytest.fixture
async def seen(site: SiteWorld) -> SiteWorld:
    """A session of four, of whom one is private since and one is erased."""
    await site.season.play("club", Round({ALICE: 2, BO: 1, PRIVATE: 3, ERASED: 0}))
    await site.follow()
    await site.season.change(PRIVATE, is_private=True, name="Hidden Name")
    await site.season.erase(ERASED)
    await site.follow()
    return site


@pytest.mark.parametrize("path", PAGES)
async def test_the_unseen_get_the_same_bytes(seen: SiteWorld, path: str) -> None:
    told = []
    for who in UNSEEN:
        answer = await seen.ask(path.replace("{}", who))
        kept = {
            name: value.replace(who, "WHO")
            for name, value in answer.headers.items()
            # These are of the request, of how many there were, and of the bytes.
            if name not in {"x-request-id", "ratelimit", "etag"}
        }
        told.append((answer.status_code, kept, answer.text.replace(who, "WHO")))
        assert "Hidden" not in answer.text
    assert told[0] == told[1] == told[2]
    if path.startswith(("/players", "/compare/")) and "{}/{}" not in path:
        assert told[0][0] == 404


async def test_the_unseen_cost_the_same_reads(
    seen: SiteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    players = seen.reads.players
    for name in dir(PlayerReads):
        if not name.startswith("_"):
            monkeypatch.setattr(players, name, noted(name, getattr(players, name), calls))
    for path in PAGES:
        asked = []
        for who in UNSEEN:
            calls.clear()
            await seen.ask(path.replace("{}", who))
            asked.append(list(calls))
        assert asked[0] == asked[1] == asked[2]
        # The same player twice needs no reading at all.
        assert asked[0] or path == "/compare/{}/{}"


def noted(name: str, read: Any, calls: list[str]) -> Any:
    async def read_and_note(*values: object, **named: object) -> object:
        calls.append(name)
        return await read(*values, **named)

    return read_and_note


async def test_a_reason_says_a_private_player_and_nothing_later(seen: SiteWorld) -> None:
    page = await seen.page(f"/players/{ALICE}/changes/{ALICE}.2.1")
    against = [each.one("h3").text for each in page.one("section", id="mahjic").all("li")]
    assert against == [f"Against {BO}", "Against a private player", "Against a private player"]
    for who in (PRIVATE, ERASED, "Hidden"):
        assert who not in page.html
