"""Three made-up years of facts with times of their own, on a real log with a real rater."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from shared.events.codec import encode_fact, fact_answered
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    GameType,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
    session_of,
)
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from tests.log.adapters import LOG_ID, Logs
from tests.log.deadlines import deadline
from tests.rater.running import a_running_rater
from tests.rater.stories import ADOPTED

YEAR: Final = 2024
FIRST_YEAR_SESSIONS: Final = 60
NAMED: Final = [f"MJ-{number:07}A" for number in range(118)]
NICKNAMES: Final = [f"AN-{number:07}B" for number in range(9)]
# Second addresses of people, who never meet their first ones.
SECOND: Final = [f"MJ-{number:07}C" for number in range(14)]
STRANGER: Final = "MJ-0000009D"
# The fourth says nothing of its region; the last two are too small to be told.
SOURCES: Final = ("club-east", "club-west", "platform", "no-region", "club-south", "tiny")
REGIONS: Final = {
    "club-east": "northeast",
    "club-west": "west",
    "platform": "international",
    "club-south": "southeast",
    "tiny": "midwest",
}
# The rater refuses it, and nobody counts it.
NEVER_SENT: Final = SessionsVoided(("s-never-sent",), "other")
Dated = tuple[datetime, FactEvent]


class Chronicler:
    """Writes three years; the one in the middle has all that a report tells of."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.facts: list[Dated] = [(datetime(2023, 1, 2, tzinfo=UTC), ADOPTED)]
        self.sessions: list[SessionSubmitted] = []

    def write(self) -> list[Dated]:
        """Return all facts, in order."""
        for who in NAMED[:13]:
            self._at(2023, 10, PlayerVerified(who))
        self._play(2023, FIRST_YEAR_SESSIONS, SOURCES[:3])
        self._at(2023, 300, SessionsVoided((self.sessions[3].session_id,), "other"))
        before = len(self.sessions)
        self._play(YEAR, 220, SOURCES[:5])
        for at in range(3):
            self._session(YEAR, 40 + at, "tiny", "tournament")
        self._change(before)
        self._play(2025, 20, SOURCES[:3])
        self._at(2025, 80, SessionsVoided((self.sessions[before + 70].session_id,), "other"))
        self.facts.sort(key=lambda dated: dated[0])
        known = {"BOB"}
        return [(when, with_newcomers(event, known)) for when, event in self.facts]

    def _change(self, before: int) -> None:
        """Put right what is too many and too few to be told, of this year and the one before."""
        for at, second in enumerate(SECOND):
            others = [NICKNAMES[at % 9], NAMED[100 + at % 7]]
            self._session(YEAR, 30 + at, "club-east", "social", [second, *others])
            self._at(YEAR, 33 + at + 9 * (at % 2), PlayersMerged(second, NAMED[at]))
        self._at(YEAR, 200, PlayersUnmerged(SECOND[0], NAMED[0]))
        self._at(YEAR, 210, PlayerVerificationEnded(NAMED[12]))
        self._at(YEAR, 215, NEVER_SENT)
        voided = [2, *range(before, before + 80, 10)]
        for at in voided:
            self._after(at, SessionsVoided((self.sessions[at].session_id,), "entered_twice"))
        for at in (4, *range(before + 5, before + 45, 4)):
            old = self.sessions[at]
            new = self._new(f"{old.session_id}-new", old.source, old.game_type, None)
            self._after(at, SessionCorrected(old.session_id, "wrong_result", new))
        reseated = self.sessions[before + 101]
        was = next(each for each in reseated.rounds[0].players if each in NAMED[20:])
        self._at(YEAR, 340, SeatsReassigned(was, STRANGER, (reseated.session_id,)))
        scaled = MAHJIC_ELO_2_SCALED
        self._at(YEAR, 180, FormulaAdopted(scaled.name, scaled.parameters))
        elo = MAHJIC_ELO_1
        self._at(YEAR, 300, FormulaAdoptedFromBeginning(elo.name, elo.parameters))

    def _play(self, year: int, sessions: int, sources: Sequence[str]) -> None:
        types: tuple[GameType, ...] = ("social", "social", "league")
        for at in range(sessions):
            day = 30 + at * 330 // sessions
            self._session(year, day, self.chance.choice(sources), self.chance.choice(types))

    def _session(
        self,
        year: int,
        day: int,
        source: str,
        game_type: GameType,
        people: Sequence[str] | None = None,
    ) -> None:
        session = self._new(f"s-{len(self.sessions)}", source, game_type, people)
        self.sessions.append(session)
        self._at(year, day, session)

    def _new(
        self, name: str, source: str, game_type: GameType, people: Sequence[str] | None
    ) -> SessionSubmitted:
        chance = self.chance
        # Some played in the first year alone.
        early = NAMED[107:] if len(self.sessions) < FIRST_YEAR_SESSIONS else []
        among = [*NAMED[:100], *early, *NICKNAMES, "BOB"]
        rounds = []
        for _ in range(chance.randint(1, 3)):
            table = people or chance.sample(among, chance.randint(3, 4))
            # Whoever has a low number is good at it.
            wins = [chance.choice((0, 1, 2, 3, 4 if each < NAMED[20] else 2)) for each in table]
            points = [chance.randint(-5_000, 5_000) for _ in table]
            counted = None if game_type == "social" else tuple(points)
            walls = chance.randint(0 if sum(wins) else 1, 3)
            rounds.append(PlayedRound(sum(wins) + walls, walls, tuple(table), tuple(wins), counted))
        day = "2024-03-03"
        return SessionSubmitted(name, source, day, game_type, tuple(rounds), ())

    def _at(self, year: int, day: int, event: FactEvent) -> None:
        """Put a fact on a day of a year, at a moment of its own."""
        moment = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day)
        self.facts.append((moment + timedelta(seconds=len(self.facts)), event))

    def _after(self, session: int, event: FactEvent) -> None:
        """Put a fact some time after a session, in the year of the report."""
        came = next(when for when, each in self.facts if each is self.sessions[session])
        waits = (timedelta(hours=3), timedelta(days=3), timedelta(days=20))
        wait = self.chance.choice(waits) if came.year == YEAR else timedelta(days=400)
        self.facts.append((came + wait + timedelta(seconds=len(self.facts)), event))


def with_newcomers(event: FactEvent, known: set[str]) -> FactEvent:
    """Return a fact that says whom it names for the first time, and know them from here on."""
    session = session_of(event)
    if session is None:
        return event
    seated = dict.fromkeys(who for played in session.rounds for who in played.players)
    session = replace(session, new_players=tuple(who for who in seated if who not in known))
    known.update(seated)
    return replace(event, session=session) if isinstance(event, SessionCorrected) else session


def made_up_years(seed: int = 2024) -> list[Dated]:
    """Return the facts of three years, in order."""
    return Chronicler(random.Random(seed)).write()


def bodies_of(facts: Sequence[Dated], log_id: str = LOG_ID) -> list[bytes]:
    """Return the bytes of dated facts."""
    return [
        encode_fact(event, log_id=log_id, seq=seq, time=f"{when:%Y-%m-%dT%H:%M:%S.%fZ}")
        for seq, (when, event) in enumerate(facts, start=1)
    ]


async def let_rate(logs: Logs, bodies: Sequence[bytes], answered: int) -> None:
    """Append facts, and have a rater answer all up to this one."""
    await logs.facts.append(bodies)
    async with a_running_rater(logs), deadline():
        while (last := await logs.verdicts.last()) is None or fact_answered(last.body) < answered:
            await logs.verdicts.wait_beyond(0 if last is None else last.seq, 0.5)
