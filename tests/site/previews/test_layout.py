"""A preview says what it is about in text that is safe and stands where there is room."""

from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.previews.layout import HEIGHT, WIDTH, drawn
from services.site.previews.painter import typefaces
from services.site.previews.subjects import Preview
from tests.site.previews.showing import PLAYER_ID, board, each_kind, player

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["</text><script>", '" onload="x', "&amp;&#60;", "]]>", "<!--", "%s{0}"]
NAMES = st.text(max_size=80) | st.sampled_from([*HOSTILE, "W" * 80, "王小明"])
FACES = {face.family: face for face in (typefaces().display, typefaces().text)}

Box = tuple[float, float, float, float]


def read(preview: Preview) -> Xml.Element:
    return Xml.fromstring(drawn(preview, typefaces()))


def texts(preview: Preview) -> list[str]:
    return [each.text or "" for each in read(preview).iter(f"{SVG}text")]


def box_of(text: Xml.Element) -> Box:
    size = float(text.attrib["font-size"])
    width = FACES[text.attrib["font-family"]].width(text.text or "", size)
    x, y = float(text.attrib["x"]), float(text.attrib["y"])
    left = x - width if text.attrib.get("text-anchor") == "end" else x
    return left, y - size * 0.75, left + width, y


@given(NAMES)
def test_every_text_is_inside_the_picture_and_on_top_of_no_other(name: str) -> None:
    for preview in each_kind(name):
        boxes = [box_of(each) for each in read(preview).iter(f"{SVG}text")]
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= WIDTH - 40
            assert 0 <= top < bottom <= HEIGHT
        for one, other in combinations(boxes, 2):
            apart = one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3]
            assert apart or other[1] >= one[3], (one, other)


@given(NAMES)
def test_no_name_becomes_anything_but_text(name: str) -> None:
    allowed = {"svg", "rect", "g", "circle", "path", "text"}
    for preview in each_kind(name):
        for element in read(preview).iter():
            assert element.tag.removeprefix(SVG) in allowed
            assert not any(
                word.startswith("on") or word in {"href", "style"} for word in element.attrib
            )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_as_it_is(name: str) -> None:
    assert name in texts(player(name))
    assert name in texts(board(name))


def test_a_player_is_shown_with_rating_band_place_and_games() -> None:
    told = texts(player("Barbara Miller"))
    assert told[:2] == ["Mahjic", "Barbara Miller"]
    assert told[3] == "Advanced · place 3 · 330 games"


def test_a_name_in_letters_that_the_font_lacks_gives_way_to_the_mahjic_id() -> None:
    assert PLAYER_ID in texts(player("王小明"))
    assert texts(board("محمد")).count(PLAYER_ID) == 1


def test_a_board_shows_its_first_five() -> None:
    told = texts(board(*"ABCDEFG"))
    assert [each for each in told if len(each) == 1 and each.isalpha()] == list("ABCDE")


def test_one_rating_makes_no_line_and_equal_ones_a_level_one() -> None:
    assert list(read(player(ratings=1)).iter(f"{SVG}path")) == []
    level = replace(player(), ratings_centi=[150_000] * 50)
    line = list(read(level).iter(f"{SVG}path"))[1].attrib["d"]
    assert {float(step) for step in line.split("l")[1].split()[1::2]} == {0}
