"""The modules give the service's numbers, and judge as it does, in a browser too."""

import json
import random
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from playwright.async_api import Page, Route

from shared.ids import MistypedPlayerIdError, player_id, read_player_id
from shared.rating.formula import Seat, rate_round
from shared.rating.registry import PUBLISHED
from tests.browser.chromium import BrowserMissing, running_chromium
from tests.javascript.skipping import not_tried
from tests.javascript.tools import ROOT

# Nothing listens there: the test answers for it, from the checkout.
ADDRESS: Final = "http://localhost/"
VECTORS: Final = ROOT / "tests" / "vectors"
SEED: Final = 20261130

IMPORT_VECTORS: Final = """([name, read]) =>
    import("/tests/javascript/vectors.js").then((module) => module[name](read))"""
SCORE_ALL: Final = """(read) =>
    import("/tests/javascript/scored.js").then(({ scoreAll }) => scoreAll(read))"""
RATE: Final = """(rounds) => import("/clients/js/index.js").then(({ rate }) =>
    rounds.map(([seats, gameType]) => rate(seats, gameType)))"""
READ_IDS: Final = """(texts) => import("/clients/js/index.js").then(
    ({ isMahjicId, readMahjicId }) =>
        texts.map((text) => isMahjicId(text) ? readMahjicId(text) : null))"""
READ_WEBHOOK: Final = """([secrets, headers, body, nowS]) =>
    import("/clients/js/index.js").then(({ readWebhook }) =>
        readWebhook(secrets, new Headers(headers), body, nowS)
            .catch((fault) => fault.name))"""


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """Return a page that can import whatever the checkout holds."""
    try:
        async with running_chromium() as browser:
            page = await browser.new_page()
            await page.route("**/*", answer)
            await page.goto(ADDRESS)
            yield page
    except BrowserMissing as missing:
        not_tried(missing)


async def answer(route: Route) -> None:
    """Answer a request of the page: an empty page, or a file of the checkout."""
    name = route.request.url.removeprefix(ADDRESS)
    if name.endswith(".js"):
        await route.fulfill(path=ROOT / name, content_type="text/javascript")
    else:
        await route.fulfill(body="<!doctype html><title>Empty</title>", content_type="text/html")


@pytest.mark.parametrize(
    ("name", "file", "rounds"),
    [("rateOriginal", "original_elo.json", 200), ("rateHistory", "rating_history.json", 400)],
)
async def test_all_vectors_come_out(page: Page, name: str, file: str, rounds: int) -> None:
    read = json.loads((VECTORS / file).read_text())
    assert await page.evaluate(IMPORT_VECTORS, [name, read]) == {"rounds": rounds, "wrong": []}


async def test_all_games_are_scored_as_the_service_does(page: Page) -> None:
    read = json.loads((VECTORS / "scoring.json").read_text())
    told = await page.evaluate(SCORE_ALL, read)
    assert told["wrong"] == []
    assert sum(told["counts"].values()) > 500


async def test_rounds_of_all_kinds_move_players_as_the_service_does(page: Page) -> None:
    rng = random.Random(SEED)
    rounds = [a_round(rng) for _ in range(2_000)]
    found = await page.evaluate(RATE, [[list(map(told, seats)), kind] for seats, kind in rounds])
    for (seats, kind), changes in zip(rounds, found, strict=True):
        right = rate_round(PUBLISHED, seats, points_count=kind != "social")
        assert tuple(changes) == right, (SEED, seats, kind)


async def test_ids_are_read_as_the_service_reads_them(page: Page) -> None:
    rng = random.Random(SEED)
    texts = [a_text(rng) for _ in range(2_000)]
    found = await page.evaluate(READ_IDS, texts)
    assert found == [read_or_none(text) for text in texts], SEED
    assert 200 < found.count(None) < 1_800


async def test_a_signed_message_is_believed_and_a_changed_one_is_not(page: Page) -> None:
    # The example that libraries of Standard Webhooks are tested with.
    secret, now_s, body = (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        1614265330,
        '{"test": 2432232314}',
    )
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": str(now_s),
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    believed = await page.evaluate(READ_WEBHOOK, [[secret], headers, body, now_s])
    assert believed == {"test": 2432232314}
    for changed in ([[secret], headers, body + " ", now_s], [[secret], headers, body, now_s + 301]):
        assert await page.evaluate(READ_WEBHOOK, changed) == "WebhookError"


def a_round(rng: random.Random) -> tuple[list[Seat], str]:
    """Return two to four seats, near each other or far apart, with halves among the points."""
    spread_centi = rng.choice([100, 30_000, 400_000])
    seats = [
        Seat(
            rating_centi=150_000 + rng.randint(-spread_centi, spread_centi),
            games=rng.choice([0, 29, 30, 100, 101, 5_000]),
            mahjongs=rng.randint(0, 4),
            points_centi=rng.choice([rng.randint(-200, 200) * 25, rng.randint(-99_999, 99_999)]),
        )
        for _ in range(rng.randint(2, 4))
    ]
    return seats, rng.choice(["social", "league", "tournament"])


def told(seat: Seat) -> dict[str, Any]:
    """Return a seat as the module takes it."""
    return {
        "ratingCenti": seat.rating_centi,
        "games": seat.games,
        "mahjongs": seat.mahjongs,
        "pointsCenti": seat.points_centi,
    }


def a_text(rng: random.Random) -> str:
    """Return an ID as somebody may type it, right or with a slip."""
    text = list(player_id(rng.choice(["MJ", "AN"]), rng.randrange(32**7)))
    if rng.random() < 0.5:
        text[rng.randrange(len(text))] = rng.choice("0OoIl\u01311UuZz9- ß")
    typed = "".join(text)
    return rng.choice([typed, typed.lower(), f"  {typed} "])


def read_or_none(text: str) -> str | None:
    """Return what the service reads, or None where it finds a slip."""
    try:
        return read_player_id(text)
    except MistypedPlayerIdError:
        return None
