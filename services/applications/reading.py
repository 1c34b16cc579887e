"""Reads the form of an application, or says at each field what is wrong with it."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from services.applications.slugs import RESERVED_WORDS, SLUG_CHARACTERS_MAX, is_reserved, slug_of
from services.applications.told import ApplicationText
from shared.access.sources import NAME_CHARACTERS_MAX, REGIONS, SOURCE_TYPES
from shared.addresses import UnreadableAddress, read_address
from shared.characters import forbidden_in_label, forbidden_in_prose
from shared.errors import ClaimRefused, Mistake
from shared.ids import is_slug
from shared.own_words.web_address import SITE_CHARACTERS_MAX, read_site

# What somebody who decides on many of them reads to the end.
KEEPING_CHARACTERS_MAX: Final = 500
DESCRIPTION_CHARACTERS_MAX: Final = 2_000
# A longer text of digits is no number of people or nights.
NUMBER_CHARACTERS_MAX: Final = 12
PLAYERS_MAX: Final = 1_000_000
# Every hour of a year.
NIGHTS_MAX: Final = 10_000
# Composing takes longer the more marks there are, so nothing far too long is tried.
TYPED_TIMES_MAX: Final = 4

_NUMBER: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+", re.ASCII)


class ApplicationMistaken(ClaimRefused):
    """Something in the form of an application is missing or wrong."""

    code = "invalid_application"
    title = "Something in the application is missing or wrong"


def read_application(form: Mapping[str, str]) -> ApplicationText:
    """Return what a form says. Raises ApplicationMistaken, with a mistake for each such field."""
    reading = _Reading(form)
    # In the order of the form, so that mistakes are told in it.
    text = ApplicationText(
        organization=reading.label(
            "organization", NAME_CHARACTERS_MAX, "Write the name of your club or platform."
        ),
        type=reading.choice(
            "type", SOURCE_TYPES, "Choose what it is: a club, a league or a platform."
        )
        or "",
        wished_slug=reading.slug("wished_slug", instead="organization"),
        region=reading.choice(
            "region", REGIONS, "Choose one of the regions in the list.", is_needed=False
        ),
        site=reading.site("site"),
        description=reading.prose(
            "description", DESCRIPTION_CHARACTERS_MAX, "Tell us who plays, where, and since when."
        ),
        keeping=reading.prose(
            "keeping", KEEPING_CHARACTERS_MAX, "Tell us how you keep results today."
        ),
        players=reading.number("players", PLAYERS_MAX, "Write about how many players there are"),
        nights=reading.number("nights", NIGHTS_MAX, "Write about how many nights a year you play"),
        applicant=reading.label("applicant", NAME_CHARACTERS_MAX, "Write your name."),
        address=reading.address("address"),
    )
    if reading.mistakes:
        raise ApplicationMistaken(reading.mistakes)
    return text


class _Reading:
    """Reads field after field, and keeps what is wrong."""

    def __init__(self, form: Mapping[str, str]) -> None:
        self._form = form
        self.mistakes: list[Mistake] = []

    def label(self, field: str, characters_max: int, missing: str) -> str:
        text = self._text(field, characters_max)
        if text == "":
            self._wrong(field, "missing", missing)
        elif text and (odd := forbidden_in_label(text)) is not None:
            self._wrong(field, "invisible", _invisible(odd))
        return text or ""

    def prose(self, field: str, characters_max: int, missing: str) -> str:
        text = self._text(field, characters_max)
        if text == "":
            self._wrong(field, "missing", missing)
        elif text and (odd := forbidden_in_prose(text)) is not None:
            self._wrong(field, "invisible", _invisible(odd))
        return text or ""

    def choice(
        self, field: str, among: tuple[str, ...], missing: str, *, is_needed: bool = True
    ) -> str | None:
        text = self._form.get(field, "")
        if text in among:
            return text
        if text or is_needed:
            self._wrong(field, "missing", missing)
        return None

    def slug(self, field: str, *, instead: str) -> str:
        """Return a short name; if none is typed, one made of the name in the field `instead`."""
        typed = self._text(field, SLUG_CHARACTERS_MAX)
        name = "" if typed else self._form.get(instead, "")[:NAME_CHARACTERS_MAX].strip()
        if typed is None or (not typed and not name):
            return ""  # Told already: it is too long, or the name is missing.
        slug = slug_of(name) if name else "-".join(typed.casefold().replace("_", " ").split())
        if not is_slug(slug):
            words = "Use small letters, digits and dashes, such as lakeside-club."
            self._wrong(field, "invalid_slug", words)
        elif is_reserved(slug):
            self._wrong(field, "invalid_slug", RESERVED_WORDS)
        return slug

    def address(self, field: str) -> str:
        try:
            return read_address(self._form.get(field, ""))
        except UnreadableAddress as error:
            self._wrong(field, "invalid_address", str(error))
            return ""

    def site(self, field: str) -> str | None:
        text = self._text(field, SITE_CHARACTERS_MAX)
        if not text:
            return None
        site = read_site(text)
        if site is None:
            words = "Write the address of a page, such as https://lakeside.example.org."
            self._wrong(field, "invalid_site", words)
        return site

    def number(self, field: str, most: int, missing: str) -> int:
        text = self._form.get(field, "")[: NUMBER_CHARACTERS_MAX + 1].strip()
        number = int(text.replace(",", "")) if _NUMBER.fullmatch(text) else 0
        if not 1 <= number <= most:
            words = f"{missing}, as a number from 1 to {most:,}."
            self._wrong(field, "invalid_number", words)
        return number

    def _text(self, field: str, characters_max: int) -> str | None:
        """Return a field in its one form (NFC, plain line breaks); None if it is too long."""
        typed = self._form.get(field, "")
        text = typed
        if len(typed) <= TYPED_TIMES_MAX * characters_max:
            text = unicodedata.normalize("NFC", typed.replace("\r\n", "\n")).strip()
        if len(text) > characters_max:
            words = f"Shorten this to {characters_max:,} characters."
            self._wrong(field, "too_long", words)
            return None
        return text

    def _wrong(self, field: str, code: str, words: str) -> None:
        self.mistakes.append(Mistake(f"/{field}", code, words))


def _invisible(odd: str) -> str:
    return f"There is an invisible character in this ({odd}). Type it instead of pasting it."
