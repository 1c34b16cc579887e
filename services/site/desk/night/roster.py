"""Finds people of a club's own list by what is typed: a name, or only its beginning. Pure.

Case and accents do not matter. Nobody is guessed: what fits several people is asked about.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from services.site.kit.words import _

# As many are named when a beginning fits several.
NAMED_MAX: Final = 4


@dataclass(frozen=True, slots=True)
class Listed:
    """Somebody on the list of a club: as it calls them, and as it sends them.

    `label` is the name, told apart from others of the same name. `sent` is an address,
    `PRIVATE:` and an address, or `ANON:` and a nickname. Whoever the club has not sent yet has no
    `player_id`.
    """

    label: str = field(repr=False)
    sent: str = field(repr=False)
    player_id: str | None = None


BOB: Final = Listed(_("Bob, the imaginary player"), "bob@mahjic.org", "BOB")


@dataclass(frozen=True, slots=True)
class FoundOnList:
    """Who is meant by a text: one person, several that it could be, or nobody on the list."""

    how: Literal["one", "several", "nobody"]
    people: Sequence[Listed] = ()

    @property
    def one(self) -> Listed | None:
        """The one person who is meant, if it is one."""
        return self.people[0] if self.how == "one" else None


class Roster:
    """The list of a club."""

    def __init__(self, people: Sequence[Listed]) -> None:
        self.people = people
        self._by_label: dict[str, list[Listed]] = {}
        for each in people:
            self._by_label.setdefault(folded(each.label), []).append(each)
        self._folded: Mapping[str, str] = {each.label: folded(each.label) for each in people}

    def find(self, text: str) -> FoundOnList:
        """Return who is meant. The whole name comes first, then beginnings, then Bob.

        The imaginary Bob is never meant by "Bob" alone: people are called that, and a new one who
        was taken for him would lose their night.
        """
        asked = folded(text)
        if not asked:
            return FoundOnList("nobody")
        for found in (
            self._by_label.get(asked, []),
            [each for each in self.people if self._folded[each.label].startswith(asked)],
            [each for each in self.people if f" {asked}" in self._folded[each.label]],
            [BOB] if folded(BOB.label).startswith(asked) and len(asked) > 3 else [],
        ):
            if found:
                return FoundOnList("one" if len(found) == 1 else "several", found[: NAMED_MAX + 1])
        return FoundOnList("nobody")


def folded(text: str) -> str:
    """Return a text as it is compared."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(each for each in apart if not unicodedata.combining(each))
    return " ".join(bare.split())
