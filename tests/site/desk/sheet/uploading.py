"""Uploads sheets and mends them as a browser without JavaScript does."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import httpx
import openpyxl

from tests.site.desk.conftest import CLUB
from tests.site.desk.typing import AtForms
from tests.site.login.visiting import HERE
from tests.site.me.conftest import Member
from tests.site.players.reading import Element

# A night with thirteen kinds of mistakes; two more show once the game type is known.
WRONG: tuple[list[object], ...] = (
    ["MAHJIC SCORE SHEET", None, "Date: 1/2/2026"],
    ["Game Type: Leage"],
    [],
    ["ROUND 1 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points", "Bonus"],
    ["ann@ex.com", "two", 75],
    ["bea at ex.com", 1, "12,5"],
    ["cy@ex.com", 1, None],
    ["cy@ex.com", 0, -70],
    ["Total", None, 3],
    [],
    ["ROUND 2 | Games Played: 4 | Wall Games: 1"],
    ["Player Email", "Mahjongs", "Points"],
    ["alice@example.com", 1, 20],
    ["ann@ex.com", 1, 20],
    ["di@ex.com", 1, "=1/0"],
    ["eve@ex.com", 0, -20],
    ["fay@ex.com", 0.5, 0],
    ["gus@ex.com", 1, 0],
    [],
    ["ROUND 3 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points"],
    ["ann@ex.com", 4, 50],
)
HIDDEN_ROW = 19
FOUND = [
    ("Row 1, column C", "could be read with the day or the month first"),
    ("Row 2, column A", "must be Social, League or Tournament"),
    ("Row 5, column D", "Unknown heading"),
    ("Row 6, column B", "is not a number"),
    ("Row 7, column A", "Write an email address here"),
    ("Row 7, column C", "has a decimal comma"),
    ("Row 9, column A", "the same player as the one in row 8"),
    ("Row 14", "is still the example"),
    ("Row 16, column C", "has no saved value"),
    ("Row 18", "This is player 5 of the round"),
    ("Row 18, column B", "is not a whole number"),
    ("Row 19", "This is player 6 of the round"),
    ("Row 19", "Row 19 is hidden"),
    ("Row 21", "A round has 2 to 4 players, and this one has 1"),
]
# What is typed into the cells; rows 14 and 19 go by their buttons.
TYPED = {
    "c-1-C": "Date: 2026-01-31",
    "c-2-A": "Game Type: League",
    "c-5-D": "",
    "c-6-B": "2",
    "c-7-A": "bea@ex.com",
    "c-7-C": "12.5",
    "c-9-A": "di@ex.com",
    "c-16-C": "20",
    "c-18-B": "1",
    "c-24-A": "PRIVATE:bea@ex.com",
    "c-24-B": "0",
    "c-24-C": "(50)",
}
FOUND_THEN = [
    ("Row 8, column C", "points"),
    ("Row 10, column C", "Total"),
]
TYPED_THEN = {"c-8-C": "\u221217.5", "c-10-C": "0"}
# The same night, mended by hand in the file.
MENDED: tuple[list[object], ...] = (
    ["MAHJIC SCORE SHEET", None, "Date: 2026-01-31"],
    ["Game Type: League"],
    [],
    ["ROUND 1 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points"],
    ["ann@ex.com", 2, 75],
    ["bea@ex.com", 1, 12.5],
    ["cy@ex.com", 1, -17.5],
    ["di@ex.com", 0, -70],
    ["Total", None, 0],
    ["ROUND 2 | Games Played: 4 | Wall Games: 1"],
    ["Player Email", "Mahjongs", "Points"],
    ["ann@ex.com", 1, 20],
    ["di@ex.com", 1, 20],
    ["eve@ex.com", 0, -20],
    ["fay@ex.com", 1, 0],
    ["ROUND 3 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points"],
    ["ann@ex.com", 4, 50],
    ["PRIVATE:bea@ex.com", 0, -50],
)


def book_of(*rows: list[object], hidden: int = 0) -> bytes:
    """Return a workbook of these rows, one of them hidden."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    if hidden:
        sheet.row_dimensions[hidden].hidden = True
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@dataclass
class Uploader(AtForms):
    """Somebody with a page about a sheet in front of them."""

    FORM: ClassVar[str] = "mend"

    @classmethod
    async def begin(cls, browser: Member, source: str = CLUB) -> "Uploader":
        """Open the page that asks for a file."""
        path = f"/desk/{source}/sheet"
        return cls(browser, await browser.page(path), path)

    @classmethod
    async def of(cls, browser: Member, content: bytes) -> "Uploader":
        """Upload a file that is kept, and look at it."""
        uploader = await cls.begin(browser)
        return await uploader.follow(await uploader.upload(content))

    @property
    def draft_id(self) -> str:
        """The id of the sheet."""
        return self.at.partition("?")[0].partition("/sheet/")[2]

    async def upload(self, content: bytes | None) -> httpx.Response:
        """Choose a file, or none, and press the button."""
        form = self.page.main.one("form", class_="drop")
        assert form.attributes["enctype"] == "multipart/form-data"
        name = form.one("input", type="file").attributes["name"]
        file = ("" if content is None else "night.xlsx", content or b"")
        return await self.browser.client.post(
            form.attributes["action"], files={name: file}, headers=HERE
        )

    def type(self, cells: Mapping[str, str]) -> "Uploader":
        """Type into cells, which must be there."""
        assert cells.keys() <= self.typed.keys()
        self.typed |= cells
        return self

    async def press(self, do: str) -> Self:
        """Press a button of the drawn sheet, which must be there, and see where that leads."""
        buttons = [each.attributes.get("value") for each in self.page.main.all("button")]
        assert do in buttons, buttons
        return await super().press(do)

    def mistakes(self) -> list[tuple[str, str]]:
        """Return the list of mistakes: where, and what to do."""
        lists = [each.one("ol") for each in self.page.main.all("div", class_="summary")]
        items = [each for listed in lists for each in listed.all("li")]
        return [(_where(each).text, each.one("span").text) for each in items]

    def marked(self) -> dict[str, list[str]]:
        """Return which mistakes are marked where: by the id of the cell, row or column."""
        marked = {}
        for cell in (*self.page.main.all("td"), *self.page.main.all("th")):
            words = [each.text for each in cell.all("a", class_="mark")]
            if words:
                fields = list(cell.all("input"))
                marked[(fields[0] if fields else cell).attributes["id"]] = words
        return marked


def _where(item: Element) -> Element:
    (where,) = [*item.all("a"), *item.all("button"), *item.all("strong")]
    return where
