"""The icons that are kept are those that are drawn, in the sizes that their names say."""

import re
from collections import Counter
from io import BytesIO
from xml.etree import ElementTree as Xml

import pytest
from PIL import Image, ImageChops

from tests.site.pictures.icons import STATIC, icons

SIZES = {
    "icon-192.png": 192,
    "icon-512.png": 512,
    "icon-maskable-512.png": 512,
    "apple-touch-icon.png": 180,
}
RED, GREEN, BLUE = (0x9D, 0x1C, 0x22), (0x0B, 0x5A, 0x41), (0x1F, 0x4F, 0x8F)


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content)).convert("RGBA")


def difference(one: Image.Image, other: Image.Image) -> int:
    """Return by how much two pictures differ where they differ most."""
    assert one.size == other.size
    bands = ImageChops.difference(one, other).split()
    return max(value for band in bands for value, count in enumerate(band.histogram()) if count)


def pixels(picture: Image.Image) -> list[object]:
    """Return the color of each pixel."""
    content, size = picture.tobytes(), len(picture.getbands())
    if size == 1:
        return list(content)
    return [tuple(content[at : at + size]) for at in range(0, len(content), size)]


@pytest.mark.parametrize("name", SIZES)
def test_an_icon_is_drawn_from_the_tile(name: str) -> None:
    kept = opened((STATIC / name).read_bytes())
    # Another processor may round an edge differently.
    assert difference(kept, opened(icons()[name])) <= 8, "Run python -m tests.site.pictures.icons."


def test_the_favicon_is_the_tile_in_both_schemes() -> None:
    kept = (STATIC / "favicon.svg").read_bytes()
    assert kept == icons()["favicon.svg"]
    assert Xml.fromstring(kept).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"prefers-color-scheme:dark" in kept
    assert not re.search(rb"script|href|url\(|https?://(?!www\.w3\.org/2000/svg\")", kept)


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_an_icon_has_its_size_and_all_three_dots(name: str, size: int) -> None:
    picture = opened((STATIC / name).read_bytes())
    assert picture.size == (size, size)
    counts = Counter(pixels(picture.convert("RGB")))
    assert all(counts[dot] > size * size / 300 for dot in (RED, GREEN, BLUE))


def test_what_a_system_cuts_to_its_own_shape_has_no_clear_corner_and_its_tile_inside() -> None:
    for name in ("icon-maskable-512.png", "apple-touch-icon.png"):
        picture = opened((STATIC / name).read_bytes())
        assert set(pixels(picture.getchannel("A"))) == {255}, name
    picture = opened((STATIC / "icon-maskable-512.png").read_bytes())
    jade = picture.getpixel((0, 0))
    outside = [
        picture.getpixel((x, y))
        for x in range(0, 512, 4)
        for y in range(0, 512, 4)
        if (x - 255.5) ** 2 + (y - 255.5) ** 2 > (0.4 * 512) ** 2
    ]
    assert set(outside) == {jade}


def test_a_difference_is_seen() -> None:
    name = "icon-192.png"
    spoiled = opened(icons()[name])
    spoiled.putpixel((96, 60), (0, 0, 0, 255))
    assert difference(spoiled, opened((STATIC / name).read_bytes())) > 8
