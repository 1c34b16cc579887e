"""Proposals are on pages: listed with their state, whole, with their files, and harmless."""

from services.site.governance.rendered import rendered
from shared.proposals.shelf import KEPT
from tests.conftest import Database
from tests.service import UNLIMITED, running_service
from tests.site.words.html import ReadPage

STEM = "0001-k-by-rounds-or-by-games"


async def test_proposals_are_listed_and_each_is_whole(database: Database) -> None:
    async with running_service(database, page_limit_per_minute=UNLIMITED) as service:
        formula = await service.client.get("/formula")
        assert '<a href="/governance">' in formula.text
        listed = await service.client.get("/governance")
        assert listed.status_code == 200
        assert '<a href="/governance/0001">Should K fall by rounds or by games?</a>' in listed.text
        assert "<td>Draft</td>" in listed.text
        assert "<url><loc>" in (sitemap := (await service.client.get("/sitemap.xml")).text)
        assert "/governance</loc>" in sitemap
        answer = await service.client.get("/governance/0001")
        assert answer.status_code == 200
        page = ReadPage(answer.text)
        levels = [(level, words) for level, words in page.headings if level in {"h1", "h2"}]
        assert levels[0] == ("h1", "Should K fall by rounds or by games?")
        assert [words for level, words in levels if level == "h2"] == [
            "What it is about",
            "What is proposed",
            "What the trial says",
            "For it",
            "Against it",
            "Where this stands",
            "The trial in figures",
        ]
        # By the trial's own file, written by the command.
        for figure in ("0.67385", "0.67461", "0.17062", "0.17106", "471,768", "2,453", "3.48"):
            assert f">{figure}<" in answer.text, figure
        for file, name in ((f"{STEM}.json", "formula"), (f"{STEM}.trial.json", "trial")):
            handed = await service.client.get(f"/governance/0001/{name}.json")
            assert handed.headers["content-type"] == "application/json"
            assert handed.text == (KEPT / file).read_text()
        for nothing in ("0002", "1", "abcd", "0001/other.json", "0002/trial.json"):
            assert (await service.client.get(f"/governance/{nothing}")).status_code == 404


def test_a_text_can_bring_no_html_no_script_and_no_picture() -> None:
    html = rendered(
        "## A\n\n<script>alert(1)</script> <b onclick='x'>bold</b>\n\n"
        "[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://example.org/c.png)\n"
    )
    assert "<script" not in html
    assert "<b " not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="data' not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_tables_scroll_by_keyboard_and_have_no_style_of_their_own() -> None:
    html = rendered("| a | b |\n| --- | ---: |\n| 1 | [up](README.md) |\n\n| c |\n| - |\n| 2 |\n")
    for number in (1, 2):
        assert (
            f'<div class="scroll" role="region" aria-label="Table {number}" tabindex="0">' in html
        )
    assert html.count("</div>") == 2
    assert '<th scope="col">a</th>' in html
    assert "style=" not in html
    assert '<a href="/governance">up</a>' in html
