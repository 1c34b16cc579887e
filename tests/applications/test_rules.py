"""What rules find: each kind, and nothing where there is nothing."""

import pytest

from services.applications.domains import registered
from services.applications.rules import (
    ComparedSource,
    EarlierApplication,
    FindingCode,
    find_all,
)
from services.applications.told import ApplicationText
from tests.applications.applicants import a_text

BAM = ComparedSource("bam-good-time", "BAM Good Time", ("bamgoodtime.com",))
JAM = ComparedSource("jam", "JAM")
HONEST = a_text(address="alice@lakeside.example.org", site="https://www.lakeside.example.org/x")


def codes(text: ApplicationText, *earlier: EarlierApplication) -> list[FindingCode]:
    return [each.code for each in find_all(text, [BAM, JAM], earlier)]


def test_an_honest_application_has_nothing() -> None:
    assert codes(HONEST) == []


@pytest.mark.parametrize(
    "name",
    [
        "BAM Good Time",
        "bam good time",
        "The BAM Good Time Club",
        "Bam-Goodtime Mahjong League",
        "BÀM Góod Tïme",
        "BAM Good Tirne",
        "\uff22\uff21\uff2d Good Time",
    ],
)
def test_a_name_like_that_of_a_source_is_found(name: str) -> None:
    (found,) = find_all(
        a_text(organization=name, address="a@x.org", site="https://x.org"), [BAM, JAM], []
    )
    assert (found.code, found.about) == ("name_like_source", ("bam-good-time",))
    assert "BAM Good Time (bam-good-time)" in found.words


@pytest.mark.parametrize("name", ["BAM", "Good Tiles", "Time Travelers", "Ham", "Mahjong Club"])
def test_a_name_that_only_begins_alike_is_not(name: str) -> None:
    text = a_text(organization=name, wished_slug="other", address="a@x.org", site="https://x.org")
    assert codes(text) == []


def test_a_slug_that_is_taken_is_found_with_the_name_that_it_makes() -> None:
    assert codes(a_text(wished_slug="jam", address="a@x.org", site="https://x.org")) == [
        "slug_taken",
        "name_like_source",
    ]


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("a@bamgoodtime.com", "https://bamgoodtime.com"),
        ("a@mail.bamgoodtime.com", "https://mail.bamgoodtime.com/x"),
        ("a@bam-good-time.net", "https://bam-good-time.net"),
        ("a@bamgoodtlme.com", "https://bamgoodtlme.com"),
    ],
)
def test_a_domain_like_that_of_a_source_is_found(address: str, site: str) -> None:
    assert codes(a_text(address=address, site=site)) == ["domain_like_source"]


def test_a_mailbox_that_is_thrown_away_is_found() -> None:
    for domain in ("mailinator.com", "sub.yopmail.com", "GuerrillaMail.com"):
        text = a_text(address=f"a@{domain}", site=f"https://{domain}")
        assert codes(text) == ["throw_away_address"]


def test_a_missing_site_and_an_address_elsewhere_are_found() -> None:
    assert codes(a_text(site="", address="a@lakeside.example.org")) == ["no_site"]
    text = a_text(site="https://lakeside.org", address="a@hilltop.org")
    (found,) = find_all(text, [], [])
    assert found.code == "address_elsewhere"
    assert found.words == "The site is at lakeside.org, and the address at hilltop.org."
    text = a_text(site="https://lakeside.org", address="a@gmail.com")
    (found,) = find_all(text, [], [])
    assert "a mail service that anyone can use" in found.words


def test_a_page_at_a_service_for_all_says_nothing_about_the_address() -> None:
    assert codes(a_text(site="https://www.facebook.com/lakeside", address="a@gmail.com")) == []
    taken = ComparedSource("hill", "Hilltop", ())
    own = a_text(site="https://facebook.com/x", address="a@gmail.com")
    other = EarlierApplication(
        a_text(
            organization="Hilltop",
            wished_slug="hill",
            address="b@gmail.com",
            site="https://facebook.com/y",
        ),
        "approved",
    )
    assert find_all(own, [taken], [other]) == []


def test_what_was_sent_before_is_found_by_address_name_and_domain_with_what_became_of_it() -> None:
    before = [
        EarlierApplication(
            a_text(organization="Other", wished_slug="o", address=HONEST.address, site=""),
            "declined",
        ),
        EarlierApplication(a_text(address="z@z.org", site="https://z.org"), "declined"),
        EarlierApplication(
            a_text(
                organization="Third", wished_slug="t", address="q@lakeside.example.org", site=""
            ),
            "sent",
        ),
        EarlierApplication(
            a_text(organization="Nobody", wished_slug="n", address="n@n.org", site=""), "approved"
        ),
    ]
    (found,) = find_all(HONEST, [], before)
    assert found.code == "sent_before"
    assert "3 times before: 2 declined, 1 still open." in found.words
    (found,) = find_all(HONEST, [], before[:1])
    assert "once before: 1 declined." in found.words


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("Example.ORG.", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_domains_are_compared_as_they_were_registered(host: str, domain: str) -> None:
    assert registered(host) == domain
