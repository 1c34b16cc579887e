"""What somebody does one after the other, each step ending with what it must have come to."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from playwright.async_api import expect

from shared.ids import player_id
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.life.household import Household
from tests.browser.life.mailbox import ReceivedMail
from tests.browser.life.person import (
    ADDRESS,
    CHOSEN,
    DISPUTED,
    FRIENDS,
    OFFERED,
    OFFERED_OTHERWISE,
    OTHER_ADDRESS,
    WORDS,
    a_night,
)
from tests.browser.life.searching import traces
from tests.browser.life.walking import walk
from tests.browser.passkeys import PasskeyDevice
from tests.browser.visitors import Visitor

# How long after a night its players are invited, so that one voided at once invites nobody.
WAIT: Final = timedelta(minutes=15)
# How long nothing must have come of a night before it is told in short.
QUIET: Final = timedelta(hours=1)
BOARD: Final = "/leaderboard?min_games=0"
UNKNOWN_ID: Final = player_id("MJ", 1)
FIND: Final = "/find?q=quillf"
SEARCH: Final = "/v1/players/search?q=quillf"
PUBLIC: Final = ("/", BOARD, FIND, SEARCH, "/sitemap.xml", "/v1/leaderboard")


@dataclass
class Life:
    """A person with a phone, and whatever they learn on their way."""

    house: Household
    phone: Visitor
    # The players that stand for them, by what the club writes.
    ids: dict[str, str] = field(default_factory=dict)
    sessions: list[str] = field(default_factory=list)

    @property
    def player_id(self) -> str:
        """Their Mahjic ID."""
        return self.ids[ADDRESS]

    def own_paths(self) -> list[str]:
        """Return where their id is in the address itself."""
        return [f"/players/{self.player_id}", f"/v1/players/{self.player_id}"]

    def public_paths(self) -> list[str]:
        """Return where a stranger begins who looks for them."""
        return [*PUBLIC, f"/v1/sessions/{self.sessions[0]}", *self.own_paths()]


async def be_rated(life: Life, address: str, name: str) -> None:
    """Have the club send a night."""
    day = str((life.house.clock.now() - timedelta(days=1)).date())
    told = await life.house.submit(a_night(day, address, name, games=16 + 8 * len(life.sessions)))
    life.ids[address] = told[address]
    life.sessions.append(told["session"])
    await life.house.all_shown()


async def be_invited(life: Life) -> None:
    """Get the invitation, but no sooner than a quarter of an hour after the night was sent."""
    mailbox = life.house.mailbox
    due_at, now = await life.house.due_at(life.player_id), life.house.clock.now()
    assert WAIT - timedelta(minutes=1) < due_at - now <= WAIT
    assert mailbox.unread(ADDRESS) == 0
    await life.house.wind(WAIT)
    mail = await mailbox.next_to(ADDRESS)
    assert mail.subject == "You’ve been rated at Lakeside Club"
    await scanned(life, mail)
    # The invitation is no login.
    await life.phone.page.goto(mail.link("/login?to="))
    await expect(life.phone.page.get_by_role("heading", level=1)).to_have_text("Log in")
    await look_at(life.phone)


async def log_in(life: Life) -> None:
    """Ask for a link on the page that the invitation leads to, and press the button behind it."""
    await log_in_as(life, ADDRESS)


async def log_in_as(life: Life, address: str) -> None:
    """Ask for a link to an address on the page that is open, and press the button behind it."""
    page = life.phone.page
    await page.get_by_label("Your email address").fill(address)
    await page.get_by_role("button", name="Mail me a link").click()
    mail = await life.house.mailbox.next_about("Your link to log in to Mahjic", address)
    await press_link(life, mail, "Log in here")


async def press_link(life: Life, mail: ReceivedMail, button: str) -> None:
    """Open the link of a mail on the phone, after a scanner did, and press the button there."""
    await scanned(life, mail)
    await life.phone.page.goto(mail.link("/login/link/"))
    await look_at(life.phone)
    await life.phone.page.get_by_role("button", name=button).click()


async def scanned(life: Life, mail: ReceivedMail) -> None:
    """Let a program open everything in a mail before its reader does: twice, and from elsewhere."""
    async with life.house.stranger() as scanner:
        assert mail.links
        for _ in range(2):
            for link in mail.links:
                assert link.startswith(f"{life.house.url}/")
                for method in ("HEAD", "GET"):
                    answer = await scanner.request(method, link)
                    assert answer.status_code in {200, 302}, (link, answer.text)
                    assert "set-cookie" not in answer.headers


async def claim(life: Life) -> None:
    """Choose a name, and see it on the board."""
    page, visitor = life.phone.page, life.phone
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    await expect(page.get_by_text(life.player_id)).to_be_visible()
    await expect(page.get_by_text(OFFERED)).to_be_visible()
    await look_at(visitor)
    await page.get_by_role("radio", name="Another name").check()
    await page.get_by_role("textbox", name="Another name").fill(CHOSEN)
    await page.get_by_role("radio", name="Everyone").check()
    await page.get_by_role("radio", name="A summary after each night I play").check()
    await page.get_by_role("button", name="Save, and go to my page").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHOSEN)
    await look_at(visitor)


async def be_on_the_board(life: Life) -> None:
    """Be verified like the friends, play among them, and stand on the board by name."""
    for who in (ADDRESS, *FRIENDS):
        await life.house.verify(who)
    await be_rated(life, ADDRESS, OFFERED)
    page = life.phone.page
    await life.phone.go(BOARD)
    await page.get_by_role("link", name=CHOSEN).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHOSEN)


async def go_private(life: Life) -> None:
    """Choose to be seen by nobody, and be seen by nobody from that moment on."""
    page, visitor = life.phone.page, life.phone
    async with life.house.stranger() as stranger:
        before = await walk(stranger, life.public_paths())
        assert len([path for path, text in before.items() if CHOSEN in text]) > 3
        await visitor.go("/me/settings")
        await page.get_by_role("radio", name="Nobody").check()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Saved.")).to_be_visible()
        after = await walk(stranger, life.public_paths())
        # What is left of their public page is what there is of somebody who never was.
        left = traces(after, [*WORDS, life.player_id])
        assert left.keys() <= set(life.own_paths()), left
        nobody = await stranger.get(f"/players/{UNKNOWN_ID}", headers={"Accept": "text/html"})
        hidden = await stranger.get(f"/players/{life.player_id}", headers={"Accept": "text/html"})
        assert hidden.status_code == nobody.status_code
        assert hidden.text.replace(life.player_id, UNKNOWN_ID) == nobody.text
    await visitor.go("/me")
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHOSEN)
    await expect(page.get_by_text("You are private.")).to_be_visible()
    await look_at(visitor)


async def merge_another_address(life: Life) -> None:
    """Prove a second address, which the club has rated as somebody else, and be one player."""
    page, visitor = life.phone.page, life.phone
    await be_rated(life, OTHER_ADDRESS, OFFERED_OTHERWISE)
    await visitor.go("/account")
    await page.get_by_label("Add another address of yours").fill(OTHER_ADDRESS)
    await page.get_by_role("button", name="Mail a link to it").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Check your mail")
    mail = await life.house.mailbox.next_to(OTHER_ADDRESS)
    await press_link(life, mail, "Add the address")
    await expect(page.get_by_text(OTHER_ADDRESS.lower()).first).to_be_visible()
    told = await life.house.mailbox.next_to(ADDRESS)
    await scanned(life, told)
    assert OTHER_ADDRESS.lower() not in str(told).lower()
    await visitor.go("/me/merge")
    other = life.ids[OTHER_ADDRESS]
    await expect(page.get_by_text(f"{other} joins {life.player_id}")).to_be_visible()
    await look_at(visitor)
    await page.get_by_role("radio", name="Everyone").check()
    await page.get_by_role("button", name="Put them together").click()
    await expect(page.get_by_text(f"{other} leads there")).to_be_visible()
    await look_at(visitor)
    await life.house.all_shown()
    # Both are one on the public page, by the name that was chosen.
    await visitor.go(f"/players/{other}")
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHOSEN)
    assert visitor.path == f"/players/{life.player_id}"


async def dispute(life: Life) -> None:
    """Say of a night that it was somebody else, where the club and staff read it."""
    page = life.phone.page
    await life.phone.go(f"/me/sessions/{life.sessions[0]}/dispute")
    await look_at(life.phone)
    await page.get_by_label("What happened?").fill(DISPUTED)
    await page.get_by_role("button", name="Send it to the club").click()
    said = page.get_by_role("region", name="What you said")
    await expect(said.get_by_text(DISPUTED)).to_be_visible()
    await look_at(life.phone)
    async with life.house.stranger() as client:
        told = await client.get("/v1/admin/disputes", headers=life.house.operator)
    assert DISPUTED in told.text
    assert life.sessions[0] in told.text


async def download(life: Life) -> None:
    """Get everything as a file, and find both addresses and every night in it."""
    page = life.phone.page
    await life.phone.go("/me/download")
    await look_at(life.phone)
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Download everything").click()
    file = await (await waiting.value).path()
    text = await asyncio.to_thread(file.read_text)
    json.loads(text)
    for told in (ADDRESS.lower(), OTHER_ADDRESS.lower(), CHOSEN, DISPUTED, *life.ids.values()):
        assert told in text, told
    assert all(session in text for session in life.sessions)
    assert not [friend for friend in FRIENDS if friend in text]


async def be_told_of_the_night(life: Life) -> None:
    """Get the summary of the night, once it has been quiet."""
    await life.house.wind(QUIET + timedelta(minutes=1))
    mail = await life.house.mailbox.first_about("Your night", (ADDRESS, OTHER_ADDRESS))
    assert [each for each in mail.links if "/mail/no-more/" in each]
    await scanned(life, mail)


async def make_a_passkey(life: Life, device: PasskeyDevice) -> None:
    """Make a passkey on the phone."""
    await life.phone.go("/account")
    await life.phone.page.get_by_role("button", name="Make a passkey").click()
    await expect(life.phone.page.get_by_text("You can log in by mail, too.")).to_be_visible()
    assert len(await device.kept()) == 1


async def log_in_elsewhere(life: Life, desk: Visitor) -> None:
    """Log in at a desk with the passkey, and end the login on the phone from there."""
    page = desk.page
    await desk.go("/login?to=/account")
    await page.get_by_role("button", name="Log in with a passkey").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    ends = page.get_by_role("button", name=re.compile("^Log out .* on"))
    await expect(ends).to_have_count(1)
    await ends.click()
    await expect(ends).to_have_count(0)
    await life.phone.go("/me")
    await expect(life.phone.page).to_have_url(f"{life.house.url}/login?to=/me")


async def be_forgotten(life: Life, desk: Visitor) -> None:
    """Have everything forgotten, by typing the Mahjic ID."""
    page = desk.page
    await desk.go("/me/forget")
    await look_at(desk)
    await page.get_by_role("textbox").fill(life.player_id)
    await page.get_by_role("button", name="Forget me for good").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("You are forgotten")
    await desk.go("/me")
    await expect(page).to_have_url(f"{life.house.url}/login?to=/me")


async def look_at(visitor: Visitor) -> None:
    """Fail if the page keeps anybody from using it."""
    await check_axe(visitor.page)
    await check_fits(visitor)
