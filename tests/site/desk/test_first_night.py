"""The desk of a club that is new here says what to do first, until something was sent."""

from tests.site.desk.conftest import CLUB, OWNER, SCORER, Desks
from tests.site.desk.test_night import meet


async def test_a_new_club_reads_what_to_do_first_until_it_has_sent_something(desks: Desks) -> None:
    owner, scorer = await desks.browser_of(OWNER), await desks.browser_of(SCORER)
    path = f"/desk/{CLUB}"
    first = [
        (await each.page(path)).main.one("section", **{"aria-labelledby": "first"})
        for each in (owner, scorer)
    ]
    assert first[0].links() == [f"{path}/keys", f"{path}/members"]
    assert first[1].links() == []
    await meet(desks)
    for each in (owner, scorer):
        assert "first night" not in (await each.page(path)).main.text
