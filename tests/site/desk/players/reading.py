"""Reads the standings of a club off its page and its file."""

import csv
import io
from collections.abc import Mapping, Sequence

from tests.site.desk.conftest import CLUB
from tests.site.desk.players.by_definition import PLAIN
from tests.site.me.conftest import Member
from tests.site.players.reading import Element, PageRead

HEADINGS = ("Points", "Won", "Win rate", "Games", "Rating change", "Nights")


def without(element: Element, class_: str) -> str:
    """Return the words of an element without those parts that are not for this way to read."""
    words = []
    for child in element.children:
        if isinstance(child, str):
            words.append(child)
        elif not child.has({"class_": class_}) and not child.has({"class_": "sub"}):
            words.append(without(child, class_))
    return " ".join("".join(words).split())


def standings_on(page: PageRead, *, on_paper: bool = False) -> Sequence[Mapping[str, str]]:
    """Return the lines of the standings as a screen or paper shows them, numbers in plain."""
    tables = list(page.main.all("table", class_="season"))
    if not tables:
        return []
    unseen = "screen-only" if on_paper else "paper-only"
    rows = [row for row in tables[0].all("tr") if not row.has({"class_": unseen})]
    head, *body = [[each for each in row.children if isinstance(each, Element)] for row in rows]
    names = ["Place", "Player", *(cell.text for cell in head[2:])]
    lines = []
    for row in body:
        line = {}
        for name, heading, cell in zip(names, head, row, strict=True):
            if not cell.has({"class_": unseen}):
                assert not heading.has({"class_": unseen})
                text = without(cell, unseen)
                line[name] = text if name == "Player" else text.translate(PLAIN)
        lines.append(line)
    return lines


async def standings(browser: Member, query: str = "from=&to=") -> Sequence[Mapping[str, str]]:
    """Return the standings that a page shows."""
    return standings_on(await browser.page(f"/desk/{CLUB}/standings?{query}"))


async def standings_file(browser: Member, query: str = "from=&to=") -> Sequence[Mapping[str, str]]:
    """Return the lines of the file."""
    answer = await browser.get(f"/desk/{CLUB}/standings/season.csv?{query}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
