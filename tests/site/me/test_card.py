"""The card of a Mahjic ID: a camera reads its code, and it is ink on white wherever it is shown."""

import io
import random

import pytest
import resvg_py
import zxingcpp
from PIL import Image

from services.site.me.qr import qr_code
from tests.projections.season import mj
from tests.site.me.conftest import ADA, BEA, CARA, DORA, Town
from tests.site.serving import ORIGIN


def read_code(svg: str, width: int = 400) -> str:
    """Return what a camera reads in a drawing, on a dark page."""
    whole = str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    png = bytes(resvg_py.svg_to_bytes(svg_string=whole, width=width, background="#15201c"))
    with Image.open(io.BytesIO(png)) as picture:
        found = zxingcpp.read_barcodes(picture.convert("RGB"))
    (code,) = (each for each in found if each.format == zxingcpp.BarcodeFormat.QRCode)
    return str(code.text)


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:8000",
        "https://mahjic.org",
        f"https://{'a-very-long-name.' * 6}example.org:8443",
    ],
)
def test_a_camera_reads_the_address(origin: str) -> None:
    chance = random.Random(9)
    for _ in range(20):
        address = f"{origin}/players/{mj(chance.randrange(1, 32**7))}"
        drawn = qr_code(address)
        assert read_code(drawn) == address
        # It needs nothing that the security policy of pages forbids.
        assert "style" not in drawn
        assert "script" not in drawn
        assert 'width="' not in drawn.split(">")[0]


def test_a_worn_card_is_read_all_the_same() -> None:
    address = f"{ORIGIN}/players/{mj(5)}"
    # A stain over a tenth of it.
    stain = '<rect x="20" y="20" width="9" height="9" fill="#777"/></svg>'
    assert read_code(str(qr_code(address)).replace("</svg>", stain)) == address


@pytest.mark.parametrize("seen", ["visible", "private"])
async def test_the_card_shows_the_id_and_its_code_leads_to_the_page(town: Town, seen: str) -> None:
    await town.play({ADA: 2, BEA: 1, CARA: 0, DORA: 1})
    member = await town.welcomed(name="Ada", seen=seen)
    who = await town.id_of(ADA)
    page = await member.page("/me/card")
    card = page.main.one("div", class_="id-card")
    assert who in card.text
    assert "Ada" in card.text
    code = page.html[page.html.index('role="img"') :]
    svg = code[code.index("<svg ") : code.index("</svg>") + 6]
    address = read_code(svg)
    assert address == f"{ORIGIN}/players/{who}"
    answer = await town.ask(address.removeprefix(ORIGIN))
    assert answer.status_code == (200 if seen == "visible" else 404)
    assert ("sees no page" in page.main.text) == (seen == "private")
    assert ADA not in page.html
