"""The pages of members: owners invite, change and remove; the invited say yes or no."""

import re
from collections.abc import Sequence

from tests.site.desk.conftest import CLUB, NOBODY, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead

MEMBERS = f"/desk/{CLUB}/members"
NEW = NOBODY
READ_ROLES = """
SELECT known_as, role FROM mahjic.source_members WHERE source = $1 ORDER BY known_as
"""
_LINK = re.compile(r"(/invitations/inv_[0-9A-Z]{16})\b")


async def roles(desks: Desks) -> dict[str, str]:
    rows = await desks.town.house.pool.fetch(READ_ROLES, CLUB)
    return {row["known_as"]: row["role"] for row in rows}


async def account_of(desks: Desks, address: str) -> str:
    pool = desks.town.house.pool
    query = "SELECT account_id FROM mahjic.addresses WHERE address = $1"
    return str(await pool.fetchval(query, address))


async def mails(desks: Desks, address: str, kind: str) -> Sequence[str]:
    sent = await desks.town.house.mails()
    return [each.text for each in sent if (each.address, each.kind) == (address, kind)]


async def invite(owner: Member, address: str, role: str = "scorer") -> None:
    answer = await owner.send(f"{MEMBERS}/invite", {"email": address, "role": role})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{MEMBERS}?done=invited")


async def invitation_of(desks: Desks, address: str) -> str:
    """Return the path that the last mail leads to."""
    found = _LINK.findall((await mails(desks, address, "member_invited"))[-1])
    return str(found[0])


def statuses(page: PageRead) -> Sequence[str]:
    return [each.text for each in page.main.all("p", role="status")]


async def test_an_owner_invites_and_the_invited_comes_to_the_desk(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    await invite(owner, NEW)
    page = await owner.page(f"{MEMBERS}?done=invited")
    assert "the mail is on its way" in statuses(page)[0].lower()
    assert NEW in page.main.text
    path = await invitation_of(desks, NEW)
    browser = await desks.town.new_browser()
    assert await browser.leads_to(path) == f"/login?to={path}"
    answer = await browser.press(await browser.ask(NEW, to=path))
    assert answer.headers["location"] == path
    page = await browser.page(path)
    assert page.main.one("h1").text == "You are invited by A Club"
    assert OWNER not in page.main.text
    answer = await browser.send(f"{path}/accept")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/desk/{CLUB}?joined=yes")
    page = await browser.page(f"/desk/{CLUB}?joined=yes")
    assert statuses(page) == ["Welcome! You keep score here from now on."]
    assert f"/desk/{CLUB}/members" not in page.main.links()
    assert (await roles(desks))[NEW] == "scorer"
    assert f"{MEMBERS}\n" in (await mails(desks, OWNER, "members_changed"))[-1]
    # Used up, and said so in words.
    page = await browser.page(path, status=404)
    assert "no invitation here for you" in page.main.text


async def test_an_invitation_is_found_without_the_mail_and_can_be_declined(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    await invite(owner, NEW, "owner")
    path = await invitation_of(desks, NEW)
    invited = await desks.browser_of(NEW)
    for where in ("/desk", "/me"):
        page = await invited.page(where)
        assert path in page.main.links()
    assert "owners" in (await invited.page(path)).main.text
    answer = await invited.send(f"{path}/decline")
    assert answer.headers["location"] == "/desk?declined=yes"
    assert "You said no" in statuses(await invited.page("/desk?declined=yes"))[0]
    assert path not in (await invited.page("/me")).main.links()
    assert f"{NEW} said no" in (await owner.page(f"/desk/{CLUB}/acts")).main.text
    # Whoever keeps one desk and is invited to another is shown both.
    await invite(owner, STRANGER)
    stranger = await desks.browser_of(STRANGER)
    links = (await stranger.page("/desk")).main.links()
    assert {f"/desk/{OTHER}", await invitation_of(desks, STRANGER)} <= set(links)


async def test_the_mail_of_somebody_else_opens_nothing(desks: Desks) -> None:
    await invite(await desks.browser_of(OWNER), NEW)
    path = await invitation_of(desks, NEW)
    other = await desks.browser_of(STRANGER)
    for answer in (
        await other.get(path),
        await other.send(f"{path}/accept"),
        await other.send(f"{path}/decline"),
    ):
        assert answer.status_code == 404
        assert "A Club" not in answer.text
        assert NEW not in answer.text
    anonymous = await desks.town.new_browser()
    assert (await anonymous.send(f"{path}/accept")).status_code == 401
    assert NEW not in await roles(desks)


async def test_what_was_typed_stays_with_what_is_wrong_about_it(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    form = {"email": "<b>no address", "role": "owner"}
    wrong = await owner.send(f"{MEMBERS}/invite", form)
    assert wrong.status_code == 422
    page = PageRead(wrong.text)
    field = page.main.one("input", id="email")
    assert field.attributes["value"] == "<b>no address"
    assert field.attributes["aria-invalid"] == "true"
    assert "checked" in page.main.one("input", type="radio", value="owner").attributes
    assert "#email" in page.main.links()
    again = await owner.send(f"{MEMBERS}/invite", {"email": SCORER})
    assert again.status_code == 409
    assert "a member already" in again.text
    for number in range(20):
        await invite(owner, f"p{number}@example.com")
    full = await owner.send(f"{MEMBERS}/invite", {"email": NEW})
    assert full.status_code == 429
    assert int(full.headers["retry-after"]) > 0
    assert "Many people were invited lately" in full.text


async def test_an_invitation_is_withdrawn(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    await invite(owner, NEW)
    path = await invitation_of(desks, NEW)
    form = {"invitation": path.rpartition("/")[2]}
    answer = await owner.send(f"{MEMBERS}/withdraw", form)
    assert answer.headers["location"] == f"{MEMBERS}?done=withdrawn"
    assert NEW not in (await owner.page(MEMBERS)).main.text
    assert (await owner.send(f"{MEMBERS}/withdraw", form)).status_code == 404
    assert (await (await desks.browser_of(NEW)).get(path)).status_code == 404


async def test_roles_change_and_end_at_once_also_on_a_page_that_is_open(desks: Desks) -> None:
    owner, scorer = await desks.browser_of(OWNER), await desks.browser_of(SCORER)
    form = {"member": await account_of(desks, SCORER), "role": "owner"}
    answer = await owner.send(f"{MEMBERS}/role", form)
    assert answer.headers["location"] == f"{MEMBERS}?done=changed"
    assert "You" in (await scorer.page(MEMBERS)).main.text
    # Of two owners one makes herself a scorer: her next press as an owner does nothing.
    form = {"member": await account_of(desks, OWNER), "role": "scorer"}
    answer = await owner.send(f"{MEMBERS}/role", form)
    assert answer.headers["location"] == f"/desk/{CLUB}"
    refused = await owner.send(f"{MEMBERS}/invite", {"email": NEW})
    assert refused.status_code == 403
    assert await mails(desks, NEW, "member_invited") == []
    form = {"member": await account_of(desks, OWNER)}
    answer = await scorer.send(f"{MEMBERS}/remove", form)
    assert answer.headers["location"] == f"{MEMBERS}?done=removed"
    assert await roles(desks) == {SCORER: "owner"}
    told = (await mails(desks, OWNER, "members_changed"))[-1]
    assert "no longer a member" in told


async def test_whoever_was_removed_sends_nothing_and_reads_why(desks: Desks) -> None:
    owner, scorer = await desks.browser_of(OWNER), await desks.browser_of(SCORER)
    page = await scorer.page(f"/desk/{CLUB}/night")
    action = page.main.one("form", method="post").attributes["action"]
    await owner.send(f"{MEMBERS}/remove", {"member": await account_of(desks, SCORER)})
    pool = desks.town.house.pool
    for path in (action, f"{action}/send"):
        form = {"do": "save", "date": "2026-01-31", "games-0": "1", "who-0-0": "zoe@example.com"}
        refused = await scorer.send(path, form)
        assert refused.status_code == 404
        assert "nothing of what you typed was sent" in refused.text
    assert await pool.fetchval("SELECT count(*) FROM mahjic.night_drafts") == 0
    assert await pool.fetchval("SELECT count(*) FROM mahjic.submissions") == 0


async def test_the_last_owner_stays_and_everybody_else_leaves(desks: Desks) -> None:
    owner, scorer = await desks.browser_of(OWNER), await desks.browser_of(SCORER)
    page = await owner.page(f"/desk/{CLUB}/leave")
    assert "only owner" in page.main.text
    assert list(page.main.all("form")) == []
    for refused in (
        await owner.send(f"/desk/{CLUB}/leave"),
        await owner.send(
            f"{MEMBERS}/role", {"member": await account_of(desks, OWNER), "role": "scorer"}
        ),
    ):
        assert refused.status_code == 409
        assert "A club needs an owner" in refused.text
    answer = await owner.send(f"{MEMBERS}/remove", {"member": await account_of(desks, OWNER)})
    assert answer.headers["location"] == f"/desk/{CLUB}/leave"
    assert "Stay" in (await scorer.page(f"/desk/{CLUB}/leave")).main.text
    answer = await scorer.send(f"/desk/{CLUB}/leave")
    assert answer.headers["location"] == "/desk?left=yes"
    assert "You have left" in statuses(await scorer.page("/desk?left=yes"))[0]
    assert await roles(desks) == {OWNER: "owner"}


async def test_the_last_owner_reads_what_being_forgotten_means_for_the_club(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    page = await owner.page("/me/forget")
    assert "You are the only owner of A Club." in page.main.text
    assert MEMBERS in page.main.links()
    await desks.make(SCORER, "owner")
    assert "A Club" not in (await owner.page("/me/forget")).main.text


async def test_a_login_of_an_hour_ago_reads_and_changes_nothing(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    await owner.make_stale()
    page = await owner.page(MEMBERS)
    assert f"/login?to={MEMBERS}" in page.main.links()
    assert SCORER in page.main.text
    assert list(page.main.all("form")) == []
    before = await roles(desks)
    account = await account_of(desks, SCORER)
    for path, form in (
        ("invite", {"email": NEW}),
        ("role", {"member": account, "role": "owner"}),
        ("remove", {"member": account}),
        ("withdraw", {"invitation": "inv_0000000000000000"}),
    ):
        refused = await owner.send(f"{MEMBERS}/{path}", form)
        assert refused.status_code == 403
        assert "log in once more" in refused.text.lower()
    assert await roles(desks) == before
    assert await mails(desks, NEW, "member_invited") == []


async def test_owners_read_what_was_changed_and_by_whom(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    await invite(owner, NEW)
    page = await owner.page(f"/desk/{CLUB}/acts")
    lines = [each.text for each in page.main.one("ul", class_="plain").all("li")]
    assert f"Invited {NEW} as a scorer" in lines[0]
    assert lines[0].endswith("UTC · You")
    assert "Made you an owner" in lines[-1]
    assert "Mahjic’s staff" in lines[-1]
    assert await owner.page(f"/desk/{CLUB}/acts?before=%00x") is not None
