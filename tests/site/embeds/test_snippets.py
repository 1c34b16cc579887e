"""What is copied names the service by its address, and nothing that is typed becomes markup."""

from html.parser import HTMLParser
from typing import Final

from services.site.embeds.snippets import (
    Snippet,
    board_snippet,
    calculator_snippet,
    player_snippet,
)
from tests.site.boards.conftest import Looked, looked

__all__ = ["looked"]

ORIGIN: Final = "https://mahjic.example.org"


class Tags(HTMLParser):
    """The tags of some HTML, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags_of(snippet: Snippet) -> list[tuple[str, dict[str, str | None]]]:
    """Return the tags of both forms."""
    return Tags(snippet.script(ORIGIN)).found + Tags(snippet.frame(ORIGIN)).found


def test_a_board_is_shown_by_script_and_in_a_frame() -> None:
    script, element, link, frame = tags_of(board_snippet("tuesday-tiles"))
    assert script == ("script", {"type": "module", "src": f"{ORIGIN}/embed.js"})
    assert element == ("mahjic-leaderboard", {"source": "tuesday-tiles", "limit": "10"})
    assert link == ("a", {"href": f"{ORIGIN}/sources/tuesday-tiles"})
    assert frame[1]["src"] == f"{ORIGIN}/embed/leaderboard/tuesday-tiles?limit=10"
    assert frame[1]["title"] == "Our leaderboard on Mahjic"


def test_without_a_source_it_is_the_global_leaderboard() -> None:
    _, element, link, frame = tags_of(board_snippet(None))
    assert element == ("mahjic-leaderboard", {"limit": "10"})
    assert link == ("a", {"href": f"{ORIGIN}/leaderboard"})
    assert frame[1]["src"] == f"{ORIGIN}/embed/leaderboard?limit=10"


def test_a_player_and_the_calculator_are_shown_alike() -> None:
    assert [tag for tag, _ in tags_of(player_snippet("MJ-7K3Q9XZM"))] == [
        "script", "mahjic-player", "a", "iframe"
    ]  # fmt: skip
    assert tags_of(calculator_snippet())[-1][1]["src"] == f"{ORIGIN}/embed/calculator"
    assert not player_snippet(None).is_live


def test_no_name_becomes_markup() -> None:
    tags = tags_of(board_snippet('"><img src=x>'))
    assert [tag for tag, _ in tags] == ["script", "mahjic-leaderboard", "a", "iframe"]


async def test_the_page_shows_what_was_chosen_and_its_frames_are_there(looked: Looked) -> None:
    people = await looked.level_players(4, await looked.season.source("club"))
    page = await looked.page(f"/developers/embed?source=club&player={people[0].lower()}")
    framed = [each[1]["src"] or "" for each in Tags(page).found if each[0] == "iframe"]
    assert framed == [
        "/embed/leaderboard/club?limit=10",
        f"/embed/player/{people[0]}",
        "/embed/calculator",
    ]
    for path in framed:
        await looked.page(path)
    assert "&lt;mahjic-leaderboard source=&#34;club&#34;" in page
    assert "https://mahjic.example.org/embed.js" in page


async def test_what_makes_no_sense_shows_the_global_board_and_no_player(looked: Looked) -> None:
    page = await looked.page("/developers/embed?source=%22%3E%3Cimg&player=MJ-0")
    tags = [tag for tag, _ in Tags(page).found]
    assert "img" not in tags
    assert "mahjic-player" not in tags
    assert 'aria-invalid="true"' in page
