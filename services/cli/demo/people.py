"""Who plays in the demo: made-up people, where they play, and when they are Verified."""

from dataclasses import dataclass
from datetime import date
from typing import Final

LEAGUE: Final = "columbus-mahjong-league"
CLUB: Final = "tuesday-tiles"
PLATFORM: Final = "bam-good-time"

BOB: Final = "bob@mahjic.org"
# The day after the league night, and one in the middle of the season.
EARLY: Final = date(2026, 2, 1)
LATE: Final = date(2026, 4, 1)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as the sources name them, with the sources that they play at."""

    submitted_as: str
    sources: tuple[str, ...]
    verified_on: date | None = None

    @property
    def is_public(self) -> bool:
        """Tell whether everybody may see them."""
        return not self.submitted_as.startswith(("PRIVATE:", "ANON:"))


PEOPLE: Final = (
    # The seven of the league night.
    Person("alice@ex.com", (LEAGUE, PLATFORM), EARLY),
    Person("bob@ex.com", (LEAGUE, PLATFORM), EARLY),
    Person("carol@ex.com", (LEAGUE, PLATFORM), EARLY),
    Person("dave@ex.com", (LEAGUE,), LATE),
    Person("eve@ex.com", (LEAGUE, PLATFORM), EARLY),
    Person("frank@ex.com", (LEAGUE, CLUB), EARLY),
    Person("george@ex.com", (LEAGUE,)),
    Person("hannah@example.com", (LEAGUE, PLATFORM), EARLY),
    Person("ines@example.com", (LEAGUE, PLATFORM), EARLY),
    Person("jack@example.com", (LEAGUE, PLATFORM)),
    Person("kim@example.com", (LEAGUE, CLUB), LATE),
    Person("lena@example.com", (LEAGUE, PLATFORM)),
    Person("mona@example.com", (CLUB, PLATFORM), EARLY),
    Person("nora@example.com", (CLUB, PLATFORM), EARLY),
    Person("otto@example.com", (CLUB, PLATFORM), EARLY),
    Person("pia@example.com", (CLUB, PLATFORM)),
    Person("quinn@example.com", (CLUB,)),
    Person("rosa@example.com", (CLUB, PLATFORM), LATE),
    Person("sam@example.com", (CLUB,)),
    Person("PRIVATE:tess@example.com", (CLUB, PLATFORM), EARLY),
    Person("ANON:Lucky", (CLUB,)),
    Person("ANON:Joker", (CLUB,)),
    Person("uma@example.com", (PLATFORM,), EARLY),
    Person("vera@example.com", (PLATFORM,), EARLY),
    Person("walt@example.com", (PLATFORM,), LATE),
    Person("xenia@example.com", (PLATFORM,)),
    Person("yuri@example.com", (PLATFORM,), LATE),
    Person("zoe@example.com", (PLATFORM,), LATE),
    Person("aldo@example.com", (PLATFORM,)),
    Person("bea@example.com", (PLATFORM,), EARLY),
)


def members(source: str) -> list[Person]:
    """Return who plays at a source."""
    return [person for person in PEOPLE if source in person.sources]
