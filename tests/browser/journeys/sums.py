"""Follows the arithmetic of a page with nothing but what the page says."""

import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from playwright.async_api import Locator, Page, expect

HUNDREDTH: Final = Decimal("0.01")
# The page gives nine decimals of an expected score.
LAST_DIGIT: Final = Decimal("0.000000001")
NUMBER: Final = r"[+−]?[\d,]+(?:\.\d+)?"
# "The ratings (1503.20 and 1478.11) said to expect 54%." and "32 × (1 − 0.536) = +14.8".
RATINGS: Final = re.compile(rf"\(({NUMBER}) and ({NUMBER})\) said to expect (\d+)%")
STEP: Final = re.compile(
    rf"(\d+) × \((1|0\.5|0) − ({NUMBER})\)(?:\s*([+−]) ({NUMBER}) for points)?"
)
RESULT: Final = re.compile(rf"= ({NUMBER})")
ACTUAL: Final = {
    "won more games": "1",
    "won the same number of games": "0.5",
    "won fewer games": "0",
}


def number(text: str) -> Decimal:
    """Return a number as pages write it."""
    return Decimal(re.sub(r"[,\s+±]", "", text).replace("−", "-"))


def expected_score(own: Decimal, other: Decimal) -> Decimal:
    """Return what somebody is expected to score against another, as the page explains it."""
    return 1 / (1 + Decimal(10) ** ((other - own) / 400))


async def follow(page: Page) -> Decimal:
    """Work out again why a round moved the rating; return by how much it did.

    Both ratings are followed, if the round counted in both.
    """
    change = await _follow(page.get_by_role("region", name="Rating", exact=True))
    verified = page.get_by_role("region", name="Verified rating", exact=True)
    if await verified.get_by_role("listitem").count():
        await _follow(verified)
    heading = await page.get_by_role("heading", level=1).inner_text()
    told = re.search(rf"moved ({NUMBER})", heading)
    assert (number(told[1]) if told else Decimal(0)) == change, heading
    return change


async def _follow(part: Locator) -> Decimal:
    table = part.get_by_role("table", name=re.compile("^All of it added up"))
    await expect(table).to_be_visible()
    cards = part.get_by_role("listitem")
    gains = [_worked_out(await each.inner_text()) for each in await cards.all()]
    rows = [
        (
            (await row.get_by_role("rowheader").inner_text()).strip(),
            number(await row.get_by_role("cell").inner_text()),
        )
        for row in await table.get_by_role("row").all()
    ]
    assert gains
    assert [value for _, value in rows[: len(gains)]] == gains
    told = dict(rows[len(gains) :])
    assert told["Sum"] == sum(gains), told
    change = told["Rounded to hundredths" if "Rounded to hundredths" in told else "Change"]
    assert change == told["Sum"].quantize(HUNDREDTH, ROUND_HALF_EVEN), told
    assert told["Rating before"] + change == told["Rating after"], told
    return change


def _worked_out(card: str) -> Decimal:
    """Return what one opponent gave, after checking each of the numbers that it says."""
    ratings, step, result = (_found(each, card) for each in (RATINGS, STEP, RESULT))
    k, actual, expected = step[1], step[2], number(step[3])
    right = expected_score(number(ratings[1]), number(ratings[2]))
    assert abs(expected - right) <= LAST_DIGIT, card
    assert abs(100 * expected - number(ratings[3])) <= Decimal("0.5"), card
    assert [score for words, score in ACTUAL.items() if words in card] == [actual], card
    bonus = number(f"{step[4]}{step[5]}") if step[4] else Decimal(0)
    gain = int(k) * (number(actual) - expected) + bonus
    assert gain == number(result[1]), card
    return gain


def _found(pattern: re.Pattern[str], card: str) -> re.Match[str]:
    found = pattern.search(card)
    assert found is not None, f"{pattern.pattern} is not in {card}"
    return found
