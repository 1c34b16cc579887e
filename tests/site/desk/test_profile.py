"""The profile: what owners say is public at once, and the rest is not theirs to change."""

import pytest

from tests.site.desk.conftest import CLUB, OWNER, Desks
from tests.site.players.reading import PageRead

PROFILE = f"/desk/{CLUB}/profile"
PUBLIC = f"/sources/{CLUB}"
GIVEN = """
SELECT name, type, region, limit_per_minute, is_suspended FROM mahjic.sources WHERE slug = $1
"""


async def public(desks: Desks) -> tuple[PageRead, str]:
    """Return the public page, and its ETag."""
    answer = await desks.town.ask(PUBLIC)
    assert answer.status_code == 200
    return PageRead(answer.text), answer.headers["etag"]


async def test_what_an_owner_says_is_on_the_public_page_and_goes_again(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    _, before = await public(desks)
    said = "Mondays at 7, in the library.\r\n<b>Beginners</b> welcome! Cafe\u0301 after."
    form = {"site": " lakeside.example.org/mah-jongg ", "about": said, "invites": "yes"}
    answer = await owner.send(PROFILE, form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PROFILE}?saved=yes")
    page, now = await public(desks)
    assert now != before
    assert "<b>Beginners</b> welcome! Caf\u00e9 after." in page.main.text
    (link,) = [each for each in page.main.all("a") if "lakeside" in each.attributes["href"]]
    assert link.attributes["href"] == "https://lakeside.example.org/mah-jongg"
    assert link.attributes["rel"] == "nofollow noopener"
    assert link.text == "lakeside.example.org/mah-jongg"
    own = await owner.page(f"{PROFILE}?saved=yes")
    assert "Saved" in own.main.one("p", role="status").text
    assert own.main.one("input", id="site").attributes["value"] == link.attributes["href"]
    assert own.main.one("textarea").text.startswith("Mondays at 7, in the library.")
    answer = await owner.send(PROFILE, {"site": "", "about": " "})
    assert answer.status_code == 303
    page, _ = await public(desks)
    assert "lakeside.example.org" not in page.main.text
    assert "Mondays" not in page.main.text


async def test_mail_about_ratings_is_switched_off_and_on(desks: Desks) -> None:
    owner, pool = await desks.browser_of(OWNER), desks.town.house.pool
    query = "SELECT invites FROM mahjic.sources WHERE slug = $1"
    for form, is_on in (({}, False), ({"invites": "yes"}, True)):
        await owner.send(PROFILE, {"site": "", "about": "", **form})
        assert await pool.fetchval(query, CLUB) == is_on
        shown = (await owner.page(PROFILE)).main.one("input", name="invites")
        assert ("checked" in shown.attributes) == is_on


async def test_what_points_add_up_to_is_set_and_set_back(desks: Desks) -> None:
    owner, pool = await desks.browser_of(OWNER), desks.town.house.pool
    query = "SELECT points_sum FROM mahjic.sources WHERE slug = $1"
    assert await pool.fetchval(query, CLUB) == "zero"
    for form, kept in (({"points_sum": "any"}, "any"), ({}, "zero")):
        await owner.send(PROFILE, {"site": "", "about": "", **form})
        assert await pool.fetchval(query, CLUB) == kept
        shown = (await owner.page(PROFILE)).main.one("input", name="points_sum")
        assert ("checked" in shown.attributes) == (kept == "any")


async def test_what_staff_decide_is_shown_and_stays_whatever_is_sent(desks: Desks) -> None:
    owner, pool = await desks.browser_of(OWNER), desks.town.house.pool
    before = await pool.fetchrow(GIVEN, CLUB)
    form = {"site": "", "about": "Hello", "name": "Another", "type": "platform", "region": "west"}
    form |= {"limit_per_minute": "9", "slug": "hilltop-league", "is_suspended": "true"}
    assert (await owner.send(PROFILE, form)).status_code == 303
    assert await pool.fetchrow(GIVEN, CLUB) == before
    assert "write to us" in (await owner.page(PROFILE)).main.text
    other = await pool.fetchval("SELECT about FROM mahjic.sources WHERE slug = 'hilltop-league'")
    assert other is None


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("site", "javascript:alert(1)"),
        ("site", "http://localhost/"),
        ("site", "https://user:pass@example.org/"),
        ("site", "https://example.org/" + "x" * 300),
        ("about", "x" * 501),
        ("about", "\u202eolleh"),
        ("about", "a\u0301" * 1001),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(
    desks: Desks, field: str, typed: str
) -> None:
    owner = await desks.browser_of(OWNER)
    form = {"site": "", "about": "", field: typed}
    other = "about" if field == "site" else "site"
    form[other] = "Mondays." if other == "about" else "https://lakeside.example.org"
    answer = await owner.send(PROFILE, form)
    assert answer.status_code == 422
    page = PageRead(answer.text)
    assert f"#{field}" in page.main.links()
    assert f"#{other}" not in page.main.links()
    assert form[other] in answer.text
    kept = await desks.town.house.pool.fetchrow(
        "SELECT site, about FROM mahjic.sources WHERE slug = $1", CLUB
    )
    assert kept is not None
    assert tuple(kept) == (None, None)


async def test_a_change_is_in_the_list_and_saving_the_same_is_none(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    form = {"site": "", "about": "Mondays.", "invites": "yes"}
    for _ in range(2):
        await owner.send(PROFILE, form)
    text = (await owner.page(f"/desk/{CLUB}/acts")).main.text
    assert text.count("Changed the profile") == 1
