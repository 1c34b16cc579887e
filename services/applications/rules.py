"""What rules find in an application, for the one who decides. Pure; nothing is decided here."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, TypeAlias

from services.applications.domains import (
    domain_of_address,
    domain_of_site,
    is_shared,
    is_throw_away,
)
from services.applications.told import ApplicationState, ApplicationText

FindingCode: TypeAlias = Literal[
    "slug_taken",
    "name_like_source",
    "domain_like_source",
    "throw_away_address",
    "no_site",
    "address_elsewhere",
    "sent_before",
]

# At this likeness one letter of ten is another, or two words of a long name are swapped.
ALIKE: Final = 0.85
# Shorter names are alike only if they are the same: BAM and JAM are two clubs.
ALIKE_CHARACTERS_MIN: Final = 6
# What half of all sources have in their names.
_COMMON: Final = frozenset(
    {
        *("a", "american", "and", "at", "club", "clubs", "game", "games", "group", "guild", "in"),
        *("league", "leagues", "mah", "mahj", "mahjong", "mahjongg", "jong", "jongg", "maj"),
        *("majong", "night", "nights", "of", "players", "the"),
    }
)
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class ComparedSource:
    """A source that exists, and the domains of the sites that its applications named."""

    slug: str
    name: str
    domains: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class EarlierApplication:
    """An application that counted before this one."""

    text: ApplicationText
    state: ApplicationState


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at, as a sentence. `about` names sources, by slug."""

    code: FindingCode
    words: str
    about: Sequence[str] = ()


def find_all(
    text: ApplicationText, sources: Sequence[ComparedSource], earlier: Sequence[EarlierApplication]
) -> Sequence[Finding]:
    """Return everything that the rules find, what weighs most first."""
    return [
        *_like_sources(text, sources),
        *_of_address(text),
        *_of_site(text),
        *_sent_before(text, earlier),
    ]


def _like_sources(text: ApplicationText, sources: Sequence[ComparedSource]) -> Iterator[Finding]:
    for source in sources:
        if source.slug == text.wished_slug:
            yield Finding(
                "slug_taken", f"The short name {source.slug} is taken.", about=(source.slug,)
            )
    own = _names(text.organization, text.wished_slug)
    like = [each for each in sources if _are_alike(own, _names(each.name, each.slug))]
    if like:
        names = ", ".join(f"{each.name} ({each.slug})" for each in like)
        yield Finding("name_like_source", f"The name is like that of {names}.", _slugs(like))
    domains = _own_domains(text)
    there = [each for each in sources if domains & set(each.domains)]
    there += [
        each
        for each in sources
        if each not in there and _is_named_like(domains, _names(each.name, each.slug))
    ]
    if there:
        names = ", ".join(f"{each.name} ({each.slug})" for each in there)
        words = f"The site or the address is at a domain like that of {names}."
        yield Finding("domain_like_source", words, _slugs(there))


def _of_address(text: ApplicationText) -> Iterator[Finding]:
    if is_throw_away(domain_of_address(text.address)):
        words = "The address is at a service for disposable mailboxes."
        yield Finding("throw_away_address", words)


def _of_site(text: ApplicationText) -> Iterator[Finding]:
    if text.site is None:
        yield Finding("no_site", "No web site or social page is named.")
        return
    site, address = domain_of_site(text.site), domain_of_address(text.address)
    if site != address and not is_shared(site):
        words = (
            f"The site is at {site}, and the address at a mail service that anyone can use."
            if is_shared(address)
            else f"The site is at {site}, and the address at {address}."
        )
        yield Finding("address_elsewhere", words)


def _sent_before(text: ApplicationText, earlier: Sequence[EarlierApplication]) -> Iterator[Finding]:
    own, domains = _names(text.organization, text.wished_slug), _own_domains(text)
    before = [
        each.state
        for each in earlier
        if each.text.address == text.address
        or domains & _own_domains(each.text)
        or _are_alike(own, _names(each.text.organization, each.text.wished_slug))
    ]
    if before:
        told = {
            "approved": before.count("approved"),
            "declined": before.count("declined"),
            "still open": sum(state in {"sent", "question"} for state in before),
        }
        states = ", ".join(f"{count} {state}" for state, count in told.items() if count)
        times = "once" if len(before) == 1 else f"{len(before)} times"
        words = f"The same address, name or site applied {times} before: {states}."
        yield Finding("sent_before", words)


def _names(*names: str) -> frozenset[str]:
    """Return names as they are compared: small letters without accents, and no common words."""
    return frozenset(filter(None, map(_bare, names)))


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    words = _WORD.findall(letters)
    return "".join(word for word in words if word not in _COMMON) or "".join(words)


def _are_alike(own: frozenset[str], other: frozenset[str]) -> bool:
    return any(_is_alike(one, another) for one in own for another in other)


def _is_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if min(len(one), len(other)) < ALIKE_CHARACTERS_MIN:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and (
        matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
    )


def _own_domains(text: ApplicationText) -> frozenset[str]:
    """Return the domains that are the applicant's, and not many people's."""
    domains = {domain_of_address(text.address)}
    if text.site is not None:
        domains.add(domain_of_site(text.site))
    return frozenset(each for each in domains if not is_shared(each) and not is_throw_away(each))


def _is_named_like(domains: frozenset[str], names: frozenset[str]) -> bool:
    first = frozenset(_bare(each.partition(".")[0]) for each in domains)
    return _are_alike(first, names)


def _slugs(sources: Sequence[ComparedSource]) -> Sequence[str]:
    return tuple(each.slug for each in sources)
