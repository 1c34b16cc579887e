"""The sum on a page of a reason adds up for a reader who has nothing but the page."""

import random
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from urllib.parse import urlsplit

from shared.events.facts import FormulaAdopted
from shared.rating.registry import MAHJIC_ELO_2_SCALED
from tests.conftest import Database
from tests.log.chances import seeded_chance
from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld, a_site
from tests.site.players.reading import Element, PageRead, numbers_in

CENT = Decimal("0.01")
NANO = Decimal("0.000000001")
EVERYONE = [mj(number) for number in range(1, 7)]
# "16 x (1 - 0.571463117)", with the signs of a page.
PRODUCT = r"(\d+) × \((1|0\.5|0) − (\d\.\d{9})\)"
WON = {"1": "won more games.", "0.5": "won the same number of games.", "0": "won fewer games."}
BONUS_MAX = 5


def number(text: str) -> Decimal:
    (found,) = numbers_in(text)
    return Decimal(found)


def expected_score(own: Decimal, other: Decimal) -> Decimal:
    """Work out an expected score by the words beside the sum: half a game between equals."""
    ratio = (Decimal(10).ln() * (other - own) / 400).exp()
    return (1 / (1 + ratio)).quantize(NANO, ROUND_HALF_EVEN)


def k_of(games: int) -> int:
    return 32 if games < 30 else 24 if games <= 100 else 16


def assert_adds_up(section: Element, *, has_points: bool) -> Decimal:
    """Work out a section again from its words; return the change that it ends with."""
    games, k = find(
        r"After ([\d,]+) games?.* by up to (\d+) points", section.one("p", class_="lead")
    )
    assert int(k) == k_of(int(games.replace(",", "")))
    cards = list(section.one("ol", class_="against").all("li"))
    gains = [assert_followed(card, k, has_points=has_points) for card in cards]
    rows = section.one("table").rows()
    assert [number(row[1]) for row in rows[: len(gains)]] == gains
    named = {row[0]: number(row[1]) for row in rows[len(gains) :]}
    assert named["Sum"] == sum(gains)
    moved = Fraction(sum(gains)) / assert_divided(rows[len(gains) :], len(gains))
    change = named["Rounded to hundredths" if "Rounded to hundredths" in named else "Change"]
    # Of a fraction, Python rounds halves to even as well.
    assert Fraction(change) == round(moved, 2)
    assert named["Rating after"] == named["Rating before"] + change
    assert {find(r"\(([\d.]+) and ", card)[0] for card in cards} == {str(named["Rating before"])}
    return change


def assert_divided(rows: Sequence[Sequence[str]], opponents: int) -> int:
    """Check the quotient below a sum, if there is one; return what the sum is divided by."""
    assert rows[0][0] == "Sum"
    head, quotient = rows[1]
    if not head.startswith("Divided by"):
        return 1
    assert head == f"Divided by {opponents} opponents"
    exact = Fraction(number(rows[0][1])) / opponents
    assert number(quotient) == Decimal(int(exact * 10**9)).scaleb(-9)
    has_more_digits = (exact * 10**9).denominator != 1
    assert quotient.endswith("…") == has_more_digits
    return opponents


def assert_followed(card: Element, k: str, *, has_points: bool) -> Decimal:
    """Work out again what one opponent gave; return it."""
    own, other, percent = find(r"\(([\d.]+) and ([\d.]+)\) said to expect (.*)%", card)
    factor, actual, expected = find(PRODUCT, card)
    assert factor == k
    assert Decimal(expected) == expected_score(Decimal(own), Decimal(other))
    assert f"{Decimal(expected) * 100:.0f}" == percent
    assert WON[actual] in card.text
    extra = Decimal(0)
    if has_points:
        sign, bonus = find(r"([+−]) ([\d.]+) for points", card)
        extra = Decimal(bonus) if sign == "+" else -Decimal(bonus)
        assert abs(extra) <= BONUS_MAX
    assert ("for points" in card.text) == has_points
    gain = number(card.text.rpartition("=")[2])
    assert gain == int(factor) * (Decimal(actual) - Decimal(expected)) + extra
    return gain


def find(pattern: str, element: Element) -> tuple[str, ...]:
    found = re.search(pattern, element.text)
    assert found is not None, (pattern, element.text)
    return found.groups()


async def random_nights(site: SiteWorld, rng: random.Random, nights: int) -> None:
    for who in EVERYONE[:4]:
        await site.season.verify(who)
    for night in range(nights):
        people = rng.sample(EVERYONE, rng.randint(2, 4))
        won = {who: rng.randint(0, 3) for who in people}
        won[people[0]] += 1
        is_league = night % 2 == 0
        points = {who: rng.randint(-40_000, 40_000) for who in people} if is_league else None
        game_type = "league" if is_league else "social"
        await site.season.play("club", Round(won, rng.randint(0, 2), points), game_type=game_type)
    await site.follow()


async def change_pages(site: SiteWorld, who: str) -> list[str]:
    """Return the address of every change of a player, as the pages of the history lead there."""
    found: list[str] = []
    path = f"/players/{who}"
    while True:
        page = await site.page(path)
        found += [each for each in page.main.links() if "/changes/" in each]
        older = list(page.main.all("a", rel="next"))
        if not older:
            return found
        path = older[0].attributes["href"]


async def test_every_sum_can_be_followed_on_a_calculator(database: Database) -> None:
    async with a_site(database) as site:
        await random_nights(site, seeded_chance(), 40)
        sums = 0
        for who in EVERYONE[:2]:
            for path in await change_pages(site, who):
                page = await site.page(path)
                assert urlsplit(page.canonical).path == path
                has_points = "· league ·" in page.main.text
                for pool in ("mahjic", "verified"):
                    section = page.one("section", id=pool)
                    if list(section.all("table")):
                        change = assert_adds_up(section, has_points=has_points)
                        sums += 1
                        assert pool == "verified" or told_change(page, who) == change
        assert sums > 40


async def test_a_sum_that_is_divided_says_by_what_and_whether_digits_are_left_out(
    site: SiteWorld,
) -> None:
    formula = MAHJIC_ELO_2_SCALED
    await site.season.tell(FormulaAdopted(formula.name, formula.parameters))
    await random_nights(site, seeded_chance(), 30)
    # By two, every other sum divides evenly; by three, every third: somebody has both soon.
    seen: set[bool] = set()
    for who in EVERYONE:
        if seen != {True, False}:
            seen |= await digits_left_out(site, who)
    assert seen == {True, False}


async def digits_left_out(site: SiteWorld, who: str) -> set[bool]:
    """Check every sum of a player; return for those that are divided whether digits are left out.

    The quotients themselves are checked with their sums.
    """
    found = set()
    for path in await change_pages(site, who):
        section = (await site.page(path)).one("section", id="mahjic")
        if list(section.all("ol", class_="against")):
            assert_adds_up(section, has_points="for points" in section.text)
        rows = section.one("table").rows()
        found |= {row[1].endswith("…") for row in rows if "Divided" in row[0]}
    return found


def told_change(page: PageRead, who: str) -> Decimal:
    told = page.one("h1").text.replace(who, "")
    return number(told) if "didn’t move" not in told else Decimal("0.00")


async def test_a_correction_adds_up_and_says_so_while_it_is_worked_out(site: SiteWorld) -> None:
    who = EVERYONE[0]
    session, _ = await site.season.play(
        "club", Round(dict(zip(EVERYONE[:4], (3, 1, 0, 2), strict=True)))
    )
    for night in range(120):
        await site.season.play("club", Round({who: night % 3, EVERYONE[1 + night % 3]: 1}))
    fact_seq = await site.told.void(session)
    await site.follow()
    path = f"/players/{who}/changes/{who}.{fact_seq}"
    answer = await site.ask(path)
    while answer.status_code == 503:
        page = PageRead(answer.text)
        assert page.one("h1").text == "We are working that out"
        # A link to the same page, which needs no script.
        assert "" in page.main.links()
        answer = await site.ask(path)
    differences, pages = Decimal(0), 0
    while True:
        page = await site.page(path)
        section = page.one("section", **{"aria-labelledby": "mahjic-title"})
        rows = section.one("tbody").rows()
        for row in rows:
            before, after, difference = (decimal_or_nothing(each) for each in row[1:])
            assert difference == after - before
        total = sum(number(row[3]) for row in rows)
        assert total == number(section.one("tfoot").text)
        differences, pages = differences + total, pages + 1
        older = list(page.main.all("a", rel="next"))
        if not older:
            break
        path = older[0].attributes["href"]
    assert pages > 1
    assert differences == number(page.one("h1").text.replace(who, ""))


def decimal_or_nothing(text: str) -> Decimal:
    return Decimal(0) if "left out" in text else number(text)
