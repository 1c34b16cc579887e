"""Types nights into the forms of a desk as a browser without JavaScript does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import httpx

from tests.site.desk.conftest import CLUB
from tests.site.me.conftest import Member
from tests.site.players.reading import Element, PageRead

OF_PAGE = {"version", "page"}


@dataclass
class AtForms:
    """Somebody who goes through a desk by its forms, and types into one kind of them."""

    FORM: ClassVar[str]
    browser: Member
    page: PageRead
    at: str = ""
    typed: dict[str, str] = field(default_factory=dict)

    @property
    def form(self) -> Element:
        """The form that is typed into."""
        return self.page.main.one("form", class_=self.FORM)

    @property
    def action(self) -> str:
        """Where that form goes."""
        return self.form.attributes["action"]

    async def go(self, path: str) -> None:
        """Open a page; if it has the form, that is what is typed now."""
        parts = urlsplit(path)
        self.at = parts.path + (f"?{parts.query}" if parts.query else "")
        answer = await self.browser.get(self.at)
        if answer.status_code == 302:
            return await self.go(answer.headers["location"])
        assert answer.status_code == 200, (path, answer.status_code, answer.text[-3000:])
        self.page = PageRead(answer.text)
        forms = list(self.page.main.all("form", class_=self.FORM))
        self.typed = fields_of(forms[0]) if forms else {}
        return None

    async def follow(self, answer: httpx.Response) -> Self:
        """Go where a form leads."""
        assert answer.status_code == 303, (answer.status_code, answer.text[-3000:])
        await self.go(answer.headers["location"])
        return self

    async def press(self, do: str) -> Self:
        """Press a button of the form, and see where that leads."""
        return await self.follow(await self.browser.send(self.action, {**self.typed, "do": do}))

    async def send(self, button: str = "Send it") -> Self:
        """Press a button of the page on which everything is looked at."""
        form = self.form_with(button)
        return await self.follow(
            await self.browser.send(form.attributes["action"], fields_of(form))
        )

    def form_with(self, button: str) -> Element:
        """Return the form with a button."""
        (form,) = [
            each
            for each in self.page.main.all("form")
            if button in [pressed.text for pressed in each.all("button")]
        ]
        return form


@dataclass
class Typist(AtForms):
    """Somebody with the form of a night in front of them."""

    FORM: ClassVar[str] = "night"
    source: str = CLUB

    @classmethod
    async def begin(cls, browser: Member, source: str = CLUB) -> "Typist":
        """Open an empty night."""
        path = f"/desk/{source}/night"
        typist = cls(browser, await browser.page(path), path, source=source)
        typist.typed = fields_of(typist.form)
        return typist

    def type(self, **fields: str) -> "Typist":
        """Type into fields: `who_0_1="Bob"` for who-0-1."""
        self.typed |= {name.replace("_", "-"): value for name, value in fields.items()}
        return self

    def row(self, table: int, seat: int, who: str, won: str = "", points: str = "") -> "Typist":
        """Type a line of a table."""
        at = f"{table}-{seat}"
        self.typed |= {f"who-{at}": who, f"won-{at}": won, f"points-{at}": points}
        return self

    @property
    def content(self) -> Mapping[str, str]:
        """What is typed, without what the page says of itself."""
        return {name: typed for name, typed in self.typed.items() if name not in OF_PAGE}

    async def live(self) -> Mapping[str, Any]:
        """Let the script of the page send what is typed, and return what it hears."""
        answer = await self.ask("/live", self.typed)
        assert answer.status_code == 200, (answer.status_code, answer.text[:2000])
        told: Mapping[str, Any] = answer.json()
        return told

    async def ask(self, path: str, fields: Mapping[str, str]) -> httpx.Response:
        """Send fields as a script does."""
        headers = {"Accept": "application/json", "Sec-Fetch-Site": "same-origin"}
        return await self.browser.client.post(self.action + path, data=fields, headers=headers)

    def wrong(self) -> Mapping[str, str]:
        """Return what the page says is missing, by its place."""
        return {
            each.attributes["id"].removesuffix("-wrong"): each.text
            for each in self.page.main.all("p", class_="wrong")
        }

    def moves(self) -> Mapping[str, tuple[str, str, str]]:
        """Return who moves from where to where, and by how much."""
        (table,) = self.page.main.all("table", class_="moves")
        rows = [row for row in table.rows() if row[1] != "Before"]
        return {row[0].removesuffix(" new here"): (row[1], row[2], row[3]) for row in rows}


def fields_of(form: Element) -> dict[str, str]:
    """Return what a form sends if nothing is typed and no button is meant."""
    fields = {}
    for each in form.all("input"):
        own = each.attributes
        if own.get("type") == "radio" and "checked" not in own:
            continue
        fields[own["name"]] = own.get("value", "")
    for select in form.all("select"):
        chosen = [each for each in select.all("option") if "selected" in each.attributes]
        options = chosen or list(select.all("option"))
        fields[select.attributes["name"]] = options[0].attributes["value"]
    return fields
