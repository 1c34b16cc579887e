"""People find players by what they remember of a name, or by their Mahjic ID."""

import pytest

from tests.projections.season import mj
from tests.site.players.conftest import SiteWorld
from tests.site.players.reading import PageRead
from tests.site.serving import ORIGIN

ALICE, BO, ZOE = (mj(number) for number in range(1, 4))


@pytest.fixture
async def people(site: SiteWorld) -> SiteWorld:
    await site.season.change(ALICE, name="Alice Núñez-Łuk")
    await site.season.change(BO, name="Alice Bo")
    await site.season.change(ZOE, name="王秀英")
    await site.follow()
    return site


def found(page: PageRead) -> list[str]:
    return [each.removeprefix("/players/") for each in page.one("div", id="found").links()]


def said(page: PageRead) -> str:
    return page.one("p", role="status").text


async def test_before_anything_is_typed_there_is_a_field_and_no_result(people: SiteWorld) -> None:
    page = await people.page("/find")
    assert page.one("input", id="q").attributes["value"] == ""
    assert (found(page), said(page)) == ([], "")
    assert page.meta("robots") is None
    assert page.canonical == f"{ORIGIN}/find"


@pytest.mark.parametrize(
    ("typed", "who"),
    [
        ("alice", [BO, ALICE]),
        ("ALICE  nunez", [ALICE]),
        ("nunez alice", [ALICE]),
        ("luk", [ALICE]),
        ("%E7%8E%8B", [ZOE]),
        ("MJ-00", None),
        ("xyz", []),
    ],
)
async def test_names_are_found_by_their_beginnings(
    people: SiteWorld, typed: str, who: list[str] | None
) -> None:
    page = await people.page(f"/find?q={typed.replace(' ', '+')}")
    told = found(page)
    assert told == who or (who is None and len(told) == 6)
    count = len(told)
    words = f"{count} player{'' if count == 1 else 's'} found."
    assert said(page) == (words if count else f"Nobody found for “{typed}”.")
    assert page.meta("robots") == "noindex"
    if not told:
        assert "Until players choose a name to be shown" in page.main.text


@pytest.mark.parametrize("typed", [ALICE, "mj-ooooooiy", f"+{ALICE.lower()}+", "MJ-0000001Y"])
async def test_a_whole_id_leads_straight_to_its_player(people: SiteWorld, typed: str) -> None:
    answer = await people.ask(f"/find?q={typed}")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/players/{ALICE}")
    # The script asks for a list, so that nobody is led away while they type.
    page = await people.page(f"/find?q={typed}&as=list")
    assert found(page) == [ALICE]


async def test_a_mistyped_id_is_told_apart_from_an_unknown_one(people: SiteWorld) -> None:
    wrong = await people.page(f"/find?q={ALICE[:-1]}Z")
    field = wrong.one("input", id="q")
    assert field.attributes["aria-invalid"] == "true"
    told = wrong.one("p", id=field.attributes["aria-describedby"]).text
    assert "mistyped" in told
    unknown = await people.page(f"/find?q={mj(99)}")
    assert said(unknown) == f"Nobody found for “{mj(99)}”."
    assert "aria-invalid" not in unknown.one("input", id="q").attributes


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("a", "letters"),
        ("x" * 65, "64 letters or fewer"),
        ("x" * 3000, "64 letters or fewer"),
        ("a%E2%80%AEb", "U+202E"),
        ("a%00b", "U+0000"),
    ],
)
async def test_words_that_cannot_be_searched_are_told_at_the_field(
    people: SiteWorld, typed: str, words: str
) -> None:
    page = await people.page(f"/find?q={typed}")
    field = page.one("input", id="q")
    assert words in page.one("p", id=field.attributes["aria-describedby"]).text
    assert found(page) == []


@pytest.mark.parametrize("query", ["q=%FF%FE", "q=a&q=alice", "fbclid=1", "q=alice&page=%00"])
async def test_odd_queries_are_answered_with_pages(people: SiteWorld, query: str) -> None:
    await people.page(f"/find?{query}")


async def test_what_is_typed_stays_text(people: SiteWorld) -> None:
    page = await people.page("/find?q=%3Cscript%3Ealert(1)%3C/script%3E%22%27")
    assert page.one("input", id="q").attributes["value"] == "<script>alert(1)</script>\"'"
    assert len(list(page.all("script"))) == 1
