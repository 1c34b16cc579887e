"""Who lives in the town of these tests, beside the people of the demo: one for every hard case."""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import cycle, islice
from typing import Any, Final

from services.cli.demo.people import CLUB, PEOPLE, PLATFORM

FAMILIES: Final = (
    *("Abrams", "Bennett", "Castellano", "Dvořák", "Eisenberg", "Fitzgerald", "Goldstein"),
    *("Hernández", "Iverson", "Jablonski", "Kowalczyk"),
)
# The names that people of the demo chose, once they claimed their profiles.
NAMES: Final = {
    person.submitted_as: f"{person.submitted_as.split('@')[0].title()} {family}"
    for person, family in zip(PEOPLE, cycle(FAMILIES), strict=False)
    if person.is_public
}

ONCE: Final = "once@example.org"
OFTEN: Final = "often@example.org"
VOIDED: Final = "voided@example.org"
PEAK: Final = "peak@example.org"
HIDDEN: Final = "hidden@example.org"
ERASED: Final = "erased@example.org"
MERGED: Final = "merged@example.org"
MERGED_INTO: Final = "merged-into@example.org"
WIDE: Final = "wide@example.org"

# What is typed to find several of the people of the demo.
SEVERAL: Final = "al"

ODD_NAMES: Final = {
    "chinese@example.org": "王秀英",
    "arabic@example.org": "فاطمة الزهراء",
    "marks@example.org": "Q\u0323u\u0331\u0303y\u0325nh A\u0328\u0301n\u0329",
    WIDE: "W" * 40,
}
CHOSEN_NAMES: Final = {
    **NAMES,
    ONCE: "Olivia Once",
    OFTEN: "Mary Margaret Fitzsimmons-Oppenheimer",
    VOIDED: "Victor Voided",
    PEAK: "Paula Peak",
    HIDDEN: "Hilda Hidden",
    ERASED: "Edgar Erased",
    MERGED: "Minnie Merged",
    MERGED_INTO: "Max Mergedinto",
    **ODD_NAMES,
}
# Nobody may ever read these.
UNSEEN_NAMES: Final = ("Hilda Hidden", "Edgar Erased", "Minnie Merged")

OFTEN_SESSIONS: Final = 2_000
OFTEN_FIRST_DAY: Final = date(2019, 3, 1)
COMPANIONS: Final = ("alice@ex.com", "bob@ex.com", "hannah@example.com", "mona@example.com")

EQUALS: Final = tuple(f"equal-{number}@example.org" for number in range(60))
# Whoever wins just as often as everybody else at the table stays where everybody begins.
EQUAL_GAMES: Final = 12


def a_round(mahjongs: dict[str, int], *, wall_games: int = 0) -> dict[str, Any]:
    """Return a round as it is submitted."""
    games = sum(mahjongs.values()) + wall_games
    players = [
        {"email": who, "games_played": games, "mahjongs": won} for who, won in mahjongs.items()
    ]
    return {"players": players, "wall_games": wall_games}


def a_session(source: str, day: date, *rounds: dict[str, Any]) -> dict[str, Any]:
    """Return a session as it is submitted."""
    return {
        "source_id": source,
        "session_date": day.isoformat(),
        "game_type": "social",
        "rounds": list(rounds),
    }


def often_sessions() -> Iterator[dict[str, Any]]:
    """Yield the sessions of somebody who plays twice a week, for years."""
    for number in range(OFTEN_SESSIONS):
        day = OFTEN_FIRST_DAY + timedelta(days=number)
        three = islice(cycle(COMPANIONS), number % 4, number % 4 + 3)
        won = dict.fromkeys((OFTEN, *three), 0)
        # Up for a while and then down, again and again, and never twice the same way.
        winner = list(won)[0 if (number // 90) % 2 == 0 else 1 + number % 3]
        won[winner] += 2
        won[list(won)[number % 4]] += 1
        yield a_session(PLATFORM, day, a_round(won, wall_games=int(number % 7 == 0)))


def equal_sessions() -> Iterator[dict[str, Any]]:
    """Yield sessions after which 60 people have the same rating."""
    for start in range(0, len(EQUALS), 4):
        four = dict.fromkeys(EQUALS[start : start + 4], EQUAL_GAMES // 4)
        yield a_session(PLATFORM, date(2026, 3, 1), a_round(four))


def odd_sessions() -> Iterator[dict[str, Any]]:
    """Yield a session for the people with odd names, and for each who will be hidden somehow."""
    yield a_session(
        CLUB, date(2026, 4, 1), a_round(dict(zip(ODD_NAMES, (4, 3, 2, 1), strict=True)))
    )
    unseen = (HIDDEN, ERASED, MERGED, MERGED_INTO)
    for number, who in enumerate(unseen):
        won = {who: 4, "quinn@example.com": 1, "sam@example.com": number, "uma@example.com": 2}
        yield a_session(CLUB, date(2026, 4, 2 + number), a_round(won))


def once_session() -> dict[str, Any]:
    """Return the only session of somebody."""
    won = {ONCE: 2, "alice@ex.com": 1, "bob@ex.com": 1, "carol@ex.com": 0}
    return a_session(CLUB, date(2026, 5, 1), a_round(won))


def voided_session() -> dict[str, Any]:
    """Return the only session of somebody, which is voided later."""
    won = {VOIDED: 3, "alice@ex.com": 1, "bob@ex.com": 0, "carol@ex.com": 0}
    return a_session(CLUB, date(2026, 5, 2), a_round(won))


def peak_sessions() -> list[dict[str, Any]]:
    """Return a session that brings somebody to a peak, and one after it."""
    high = {PEAK: 8, "dave@ex.com": 0, "eve@ex.com": 0, "frank@ex.com": 0}
    later = {PEAK: 0, "dave@ex.com": 2, "eve@ex.com": 2, "frank@ex.com": 1}
    return [
        a_session(CLUB, date(2026, 5, 3), a_round(high)),
        a_session(CLUB, date(2026, 5, 10), a_round(later)),
    ]


def peak_corrected() -> dict[str, Any]:
    """Return the session of the peak as it really was."""
    really = {PEAK: 2, "dave@ex.com": 2, "eve@ex.com": 2, "frank@ex.com": 2}
    return a_session(CLUB, date(2026, 5, 3), a_round(really))
