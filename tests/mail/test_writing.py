"""The letters: text and HTML say the same, whatever names hold, in words that people like."""

import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser

import pytest

from services.mail.writing.in_short import MovedRating, NightInShort
from services.mail.writing.letters import (
    VerifiedNews,
    answered_letter,
    application_letter,
    changed_letter,
    keys_letter,
    member_invited_letter,
    members_letter,
    ownerless_letter,
    proof_letter,
    rated_letter,
    staff_letter,
    summary_letter,
    verified_letter,
    webhook_added_letter,
    webhook_off_letter,
)
from shared.mail.letters import Letter

TO = "carol@example.com"
DAY = date(2026, 3, 1)
NO_MORE = "https://mahjic.example/mail/no-more/abc"
HOSTILE = "Bed & <script>x</script>\r\nBcc: all@example.com\n\n.\n{{ 7 * 7 }} %(x)s " + "W" * 80
NIGHTS = [
    NightInShort(1, 1, 0, None),
    NightInShort(3, 12, 5, MovedRating("1,512.34", "+12.34", "up")),
    NightInShort(3, 12, 2, MovedRating("1,487.66", "−12.34", "down")),
    NightInShort(2, 8, 2, MovedRating("1,500.00", "0.00", "nowhere")),
]
NEWS: tuple[VerifiedNews, ...] = ("begun", "grace", "ended")
LINK = "https://mahjic.example/in/abc?x=1&y=2"


def letters(name: str) -> Iterator[Letter]:
    """Yield every letter, with a name of somebody else's choosing."""
    for what_for in ("is_to_add", "is_to_apply", ""):
        for_it = {what_for: True} if what_for else {}
        yield proof_letter(TO, url=LINK, code="7K3Q-9XZM", asked_from=name, **for_it)
    yield changed_letter(TO, what=name, account_url=LINK)
    yield staff_letter(TO, what=name, account_url=LINK)
    for is_owner in (True, False):
        yield member_invited_letter(
            TO, source=name, is_owner=is_owner, url=LINK, no_more_url=NO_MORE
        )
    for state in ("sent", "question", "approved", "declined"):
        yield application_letter(TO, state=state, organization=name, said=name, url=LINK)
    yield members_letter(TO, source=name, what=name, url=LINK)
    for is_made in (True, False):
        yield keys_letter(TO, source=name, is_made=is_made, url=LINK)
    yield webhook_added_letter(TO, source=name, host="club.example.org", url=LINK)
    for is_gone in (True, False):
        yield webhook_off_letter(
            TO, source=name, host="club.example.org", is_gone=is_gone, url=LINK
        )
    yield ownerless_letter(TO, source=name, slug="a-club", url=LINK)
    yield answered_letter(TO, source=name, day=DAY, url=LINK)
    for news in NEWS:
        yield verified_letter(TO, news=news, day=None if news == "ended" else DAY, url=LINK)
    yield verified_letter(TO, news="begun", day=None, url=LINK)
    yield rated_letter(
        TO, source=name, day=DAY, claim_url=LINK, not_me_url=LINK + "&not=me", no_more_url=NO_MORE
    )
    for night in NIGHTS:
        yield summary_letter(
            TO, source=name, day=DAY, night=night, page_url=LINK, no_more_url=NO_MORE
        )


class Read(HTMLParser):
    """What a reader of the HTML sees: its words, and the links behind them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self._is_head = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._is_head = tag in {"head", "title"} or (self._is_head and tag != "body")
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        if not self._is_head:
            self.words += data.split()


ALL = [*letters("Lakeside Club"), *letters(HOSTILE)]
IDS = [f"{each.kind} {number}" for number, each in enumerate(ALL)]


@pytest.mark.parametrize("letter", ALL, ids=IDS)
def test_text_and_html_say_the_same(letter: Letter) -> None:
    read = Read(letter.html)
    links = re.findall(r"^https://\S+$", letter.text, re.MULTILINE)
    assert read.links == links
    in_html, in_text = set(read.words), set(letter.text.split())
    # A link is named in HTML, and written out in text.
    assert in_text - in_html - {"--"} <= {*links} | {each for each in in_text if each.endswith(":")}
    names = {"This", "is", "not", "me", "No", "more", "mail"}
    assert in_html - in_text <= names | {each.removesuffix(":") for each in in_text}


@pytest.mark.parametrize("letter", ALL, ids=IDS)
def test_nothing_in_a_letter_is_fetched_or_runs(letter: Letter) -> None:
    read = Read(letter.html)
    assert read.tags <= {"html", "head", "meta", "title", "body", "div", "p", "a", "hr", "br"}
    assert all(each.startswith("https://mahjic.example/") for each in read.links)
    assert "49" not in letter.text + letter.html
    assert len(letter.subject.splitlines()) == 1


@pytest.mark.parametrize("letter", ALL, ids=IDS)
def test_lines_are_short_but_for_links_and_words_that_cannot_be_broken(letter: Letter) -> None:
    for line in letter.text.splitlines():
        assert len(line) <= 72 or " " not in line.strip()


@pytest.mark.parametrize("letter", ALL, ids=IDS)
def test_what_nobody_asked_for_says_how_to_end_it_where_people_see_it(letter: Letter) -> None:
    assert letter.is_asked_for == (letter.no_more_url is None)
    assert (NO_MORE in letter.text) == (not letter.is_asked_for)
    assert (NO_MORE in Read(letter.html).links) == (not letter.is_asked_for)


def test_a_proof_has_its_link_and_its_code_once_each_and_is_good_for_15_minutes() -> None:
    letter = proof_letter(TO, url=LINK, code="7K3Q-9XZM", asked_from="Chrome on Windows")
    assert letter.text.count("7K3Q-9XZM") == letter.html.count("7K3Q-9XZM") == 1
    assert letter.text.splitlines().count(LINK) == 1
    assert "7K3Q" not in letter.subject
    assert letter.good_for.total_seconds() == 15 * 60
    assert "asked for from Chrome on Windows" in " ".join(letter.text.split())


def test_an_invitation_says_who_rated_the_reader_and_when() -> None:
    letter = next(each for each in letters("Lakeside Club") if each.kind == "rated")
    words = " ".join(letter.text.split())
    assert letter.subject == "You’ve been rated at Lakeside Club"
    assert "You played at Lakeside Club on March 1, 2026" in words
    assert "it belongs to you" in words


def test_a_summary_has_no_rating_of_a_private_player() -> None:
    private, *shown = (each for each in letters("Lakeside Club") if each.kind == "summary")
    words, *others = (" ".join(each.text.split()) for each in (private, *shown))
    assert "rating is" not in words
    assert "It went" not in words
    assert "You played 1 round with 1 game in all, and won 0 of them." in words
    for told, night in zip(others, NIGHTS[1:], strict=True):
        assert night.rating is not None
        assert f"You played {night.rounds} rounds with {night.games} games in all" in told
        changed = f"{night.rating.now} now. That night changed it by {night.rating.change}."
        assert changed in told
    assert ["It went up" in each for each in others] == [True, False, False]
    assert ["It went down" in each for each in others] == [False, True, False]
    assert ["It stayed where it was" in each for each in others] == [False, False, True]


def test_a_verified_player_is_told_what_has_changed_and_until_when() -> None:
    told = [each for each in letters("Lakeside Club") if each.kind == "verified"]
    begun, grace, ended, by_staff = told
    words = [" ".join(each.text.split()) for each in told]
    assert begun.subject == by_staff.subject == "You are a Verified player now"
    assert "This lasts until March 1, 2026, unless it is renewed." in words[0]
    assert "Games from before today don’t count in it." in words[0]
    assert "lasts until" not in words[3]
    assert "has ended" in grace.subject
    assert "You stay Verified until March 1, 2026" in words[1]
    assert ended.subject == "You are no longer a Verified player"
    assert "waits for you" in words[2]
    assert all(each.is_asked_for for each in told)
