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
class DemoPerson:
    """A person as the sources name them, with the sources that they play at."""

    submitted_as: str
    sources: tuple[str, ...]
    verified_on: date | None = None

    @property
    def is_public(self) -> bool:
        """Return whether everyone may see them."""
        return not self.submitted_as.startswith(("PRIVATE:", "ANON:"))


PEOPLE: Final = (
    # The seven of the league night.
    DemoPerson("alice@ex.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("bob@ex.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("carol@ex.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("dave@ex.com", (LEAGUE,), LATE),
    DemoPerson("eve@ex.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("frank@ex.com", (LEAGUE, CLUB), EARLY),
    DemoPerson("george@ex.com", (LEAGUE,)),
    DemoPerson("hannah@example.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("ines@example.com", (LEAGUE, PLATFORM), EARLY),
    DemoPerson("jack@example.com", (LEAGUE, PLATFORM)),
    DemoPerson("kim@example.com", (LEAGUE, CLUB), LATE),
    DemoPerson("lena@example.com", (LEAGUE, PLATFORM)),
    DemoPerson("mona@example.com", (CLUB, PLATFORM), EARLY),
    DemoPerson("nora@example.com", (CLUB, PLATFORM), EARLY),
    DemoPerson("otto@example.com", (CLUB, PLATFORM), EARLY),
    DemoPerson("pia@example.com", (CLUB, PLATFORM)),
    DemoPerson("quinn@example.com", (CLUB,)),
    DemoPerson("rosa@example.com", (CLUB, PLATFORM), LATE),
    DemoPerson("sam@example.com", (CLUB,)),
    DemoPerson("PRIVATE:tess@example.com", (CLUB, PLATFORM), EARLY),
    DemoPerson("ANON:Lucky", (CLUB,)),
    DemoPerson("ANON:Joker", (CLUB,)),
    DemoPerson("uma@example.com", (PLATFORM,), EARLY),
    DemoPerson("vera@example.com", (PLATFORM,), EARLY),
    DemoPerson("walt@example.com", (PLATFORM,), LATE),
    DemoPerson("xenia@example.com", (PLATFORM,)),
    DemoPerson("yuri@example.com", (PLATFORM,), LATE),
    DemoPerson("zoe@example.com", (PLATFORM,), LATE),
    DemoPerson("aldo@example.com", (PLATFORM,)),
    DemoPerson("bea@example.com", (PLATFORM,), EARLY),
)


def members(source: str) -> list[DemoPerson]:
    """Return who plays at a source."""
    return [person for person in PEOPLE if source in person.sources]
