"""Staff read what staff did; nobody else learns that there is such a page."""

from typing import get_args

from services.accounts.acts import note_act
from services.accounts.staff import list_staff
from services.site.staff.acts import ACT_WORDS
from shared.access.acts import StaffActKind
from tests.site.staff.conftest import OPERATOR, StaffTown

PATH = "/staff/acts"


async def test_staff_see_who_did_what_when_and_about_whom(staffed: StaffTown) -> None:
    account = staffed.accounts[OPERATOR]
    browser = await staffed.at_desk()
    assert 'href="/staff"' in (await browser.get("/account")).text
    house = staffed.town.house
    await list_staff(house.pool, house.accounts.chance)
    page = (await browser.page(PATH)).main.text
    for words in (
        "Listed the staff",
        "Made somebody an operator",
        "at the machine",
        account,
        "Mar 1, 2026, 20:00",
    ):
        assert words in page
    assert OPERATOR not in page


async def test_the_list_goes_on_to_the_first_act(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    house = staffed.town.house
    async with house.pool.acquire() as connection, connection.transaction():
        for number in range(60):
            await note_act(
                connection,
                at=house.clock.now(),
                staff_id=None,
                act="see_mail",
                about=[f"no{number}"],
            )
    first = await browser.page(PATH)
    assert "no59" in first.main.text
    assert "Made somebody an operator" not in first.main.text
    (older,) = [each for each in first.main.links() if "?before=" in each]
    assert "Made somebody an operator" in (await browser.page(older)).main.text
    for odd in ("0", "-1", "x", "9" * 30):
        assert "no59" in (await browser.page(f"{PATH}?before={odd}")).main.text


def test_everything_that_is_kept_of_staff_has_words() -> None:
    assert set(ACT_WORDS) == set(get_args(StaffActKind))
    assert len(set(ACT_WORDS.values())) == len(ACT_WORDS)
    assert not [words for words in ACT_WORDS.values() if "_" in words or not words[0].isupper()]


async def test_an_act_that_only_a_newer_version_knows_is_shown_by_its_name(
    staffed: StaffTown,
) -> None:
    await staffed.town.house.pool.execute(
        "INSERT INTO mahjic.staff_acts (at, act, about) VALUES (now(), 'walk_the_dog', '{}')"
    )
    assert "walk the dog" in (await (await staffed.at_desk()).page(PATH)).main.text


async def test_where_the_list_was_leads_to_it(staffed: StaffTown) -> None:
    assert await (await staffed.at_desk()).leads_to("/account/acts") == PATH
