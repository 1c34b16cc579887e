"""What can't be shown is known before it is drawn, and what can be shown fits."""

import unicodedata

import pytest
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from services.site.previews.child import FONTS
from services.site.previews.painter import typefaces
from services.site.previews.typefaces import ELLIPSIS, Typeface, fitting

FACES = [typefaces().display, typefaces().text]
NAMES = st.text(max_size=80) | st.text("WMij .'é", max_size=80)


def font_of(face: Typeface) -> TTFont:
    return TTFont(FONTS / f"{face.family.lower().replace(' ', '-')}.ttf")


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.family)
def test_what_a_face_is_said_to_show_is_in_its_font_and_seen(face: Typeface) -> None:
    font = font_of(face)
    characters, glyphs, advances = font.getBestCmap(), font["glyf"], font["hmtx"]
    assert font["head"].unitsPerEm == face.units_per_em
    for code, width in face.widths.items():
        assert advances[characters[code]][0] == width
        is_space = unicodedata.category(chr(code)) == "Zs"
        assert is_space or glyphs[characters[code]].numberOfContours != 0, f"U+{code:04X}"


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.family)
def test_a_font_has_the_name_that_it_is_drawn_by_and_keeps_its_copyright(face: Typeface) -> None:
    names = font_of(face)["name"]
    assert names.getDebugName(1) == face.family
    notice = names.getDebugName(0)
    file = FONTS / f"{face.family.lower().replace(' ', '-')}-OFL.txt"
    text = file.read_text()
    assert "SIL OPEN FONT LICENSE" in text
    holder = "Adobe" if "Adobe" in notice else "The Fraunces Project Authors"
    assert holder in notice
    assert holder in text


@pytest.mark.parametrize(
    "name",
    ["Łukasz Żółć", "Dvořák", "Şükrü Ğ", "José Muñoz", "Ægir Þór",
     "O\u2019Brien", "Zoe\u0308", "Anne-Marie d'Arc", "D\u00e9j\u00e0"],
)  # fmt: skip
def test_names_in_latin_letters_are_shown(name: str) -> None:
    fit = fitting(name, instead="-", face=FACES[0], width=900, largest=80, smallest=40)
    assert fit.text == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    "name",
    ["王小明", "محمد", "Світлана", "שרה", "Ada 🀄", "Ada\u202eadA", "Ada\x00",
     "Ada\u200b", "x\u0336", "", "   ", "\ufffe", "\ud800"],
)  # fmt: skip
def test_names_that_a_font_lacks_give_way_to_plain_letters(name: str) -> None:
    for face in FACES:
        fit = fitting(name, instead="MJ-7K3Q9XZM", face=face, width=900, largest=80, smallest=40)
        assert fit.text == "MJ-7K3Q9XZM"


@given(NAMES, st.floats(60, 1000))
def test_a_text_fits_whatever_it_is(name: str, width: float) -> None:
    face = FACES[0]
    fit = fitting(name, instead="MJ-7K3Q9XZM", face=face, width=width, largest=80, smallest=44)
    assert face.can_show(fit.text)
    assert face.width(fit.text, fit.size) <= width + 0.01
    assert 44 <= fit.size <= 80
    is_cut = fit.text.endswith(ELLIPSIS) and fit.text != unicodedata.normalize("NFC", name)
    if is_cut:
        assert fit.size == 44


def test_a_text_is_made_smaller_before_it_is_cut_and_no_more_than_it_must() -> None:
    face = FACES[0]
    name = "Wilhelmina Wordsworth"
    width = face.width(name, 60)
    fit = fitting(name, instead="-", face=face, width=width, largest=80, smallest=44)
    assert (fit.text, round(fit.size, 6)) == (name, 60)
    fit = fitting(name, instead="-", face=face, width=width, largest=80, smallest=61)
    kept = fit.text.removesuffix(ELLIPSIS)
    assert kept == name[: len(kept)] != name
    assert face.width(name[: len(kept) + 1] + ELLIPSIS, 61) > width
