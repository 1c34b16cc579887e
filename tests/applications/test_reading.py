"""A form is read as it was meant, and every mistake in it is told at its field."""

import pytest

from services.applications.reading import (
    DESCRIPTION_CHARACTERS_MAX,
    KEEPING_CHARACTERS_MAX,
    ApplicationMistaken,
    read_application,
)
from shared.own_words.web_address import read_site
from tests.applications.applicants import FORM

HUGE = "x" * 100_000


def mistakes_in(**other: str) -> dict[str, str]:
    with pytest.raises(ApplicationMistaken) as refused:
        read_application(FORM | other)
    return {each.pointer: each.code for each in refused.value.mistakes}


def test_a_form_is_read_in_one_form() -> None:
    text = read_application(
        FORM
        | {
            "organization": "  Cafe\u0301 Mahj ",
            "address": " Alice@EXAMPLE.com",
            "site": "lakeside.example.org",
            "region": "",
            "players": "1,200",
            "description": "One.\r\nTwo.\n",
        }
    )
    assert text.organization == "Café Mahj"
    assert text.address == "alice@example.com"
    assert text.site == "https://lakeside.example.org"
    assert text.region is None
    assert text.players == 1200
    assert text.description == "One.\nTwo."
    assert read_application(FORM | {"site": ""}).site is None


@pytest.mark.parametrize("field", sorted(FORM))
def test_whatever_a_field_holds_is_read_or_told_there(field: str) -> None:
    for hostile in (HUGE, "\x00", "a\u202eb", "\ud800", "<script>alert(1)</script>" * 1000):
        assert set(mistakes_in(**{field: hostile})) == {f"/{field}"}


def test_what_is_missing_is_told_all_at_once() -> None:
    with pytest.raises(ApplicationMistaken) as refused:
        read_application({})
    told = {each.pointer for each in refused.value.mistakes}
    # A short name is made of the name, if there is one.
    assert told == {f"/{field}" for field in FORM.keys() - {"site", "region", "wished_slug"}}


@pytest.mark.parametrize(
    ("typed", "organization", "slug"),
    [
        ("lakeside", "Another Name", "lakeside"),
        (" Lakeside  Club ", "Another Name", "lakeside-club"),
        ("lake_side", "Another Name", "lake-side"),
        ("", "Café de l’Été — Mahj #1!", "cafe-de-l-ete-mahj-1"),
        ("  ", "-Ödön-", "odon"),
        ("", "A" * 80, "a" * 64),
    ],
)
def test_a_short_name_is_made_as_it_was_meant(typed: str, organization: str, slug: str) -> None:
    text = read_application(FORM | {"wished_slug": typed, "organization": organization})
    assert text.wished_slug == slug


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("Mahjic", "invalid_slug"),
        ("mahjic-of-ohio", "invalid_slug"),
        ("staff", "invalid_slug"),
        ("lake/side", "invalid_slug"),
        ("-lakeside", "invalid_slug"),
        ("湖", "invalid_slug"),
        ("x" * 65, "too_long"),
    ],
)
def test_a_short_name_that_nobody_can_have_is_told(typed: str, code: str) -> None:
    assert mistakes_in(wished_slug=typed) == {"/wished_slug": code}


def test_a_name_of_which_no_short_one_can_be_made_needs_one() -> None:
    assert mistakes_in(wished_slug="", organization="麻將會") == {"/wished_slug": "invalid_slug"}


def test_texts_have_limits_and_exactly_those() -> None:
    for field, most in (
        ("description", DESCRIPTION_CHARACTERS_MAX),
        ("keeping", KEEPING_CHARACTERS_MAX),
        ("organization", 80),
    ):
        assert read_application(FORM | {field: "x" * most})
        assert mistakes_in(**{field: "x" * (most + 1)}) == {f"/{field}": "too_long"}


@pytest.mark.parametrize("number", ["0", "-1", "40.5", "", "forty", "1e3", "1,2", "٤٠", "9" * 40])
def test_numbers_are_whole_and_in_reason(number: str) -> None:
    assert mistakes_in(players=number) == {"/players": "invalid_number"}


@pytest.mark.parametrize(
    "site",
    [
        "javascript:alert(1)",
        "ftp://example.org",
        "https://user:pass@example.org/",
        "https://user@example.org/",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "https://example.org:8443/",
        "https://exa mple.org",
        "https://example",
        "https://\u202eexample.org",
        "https://",
        "https://[",
        "//example.org",
    ],
)
def test_a_site_is_a_page_that_a_person_can_open(site: str) -> None:
    assert read_site(site) is None
