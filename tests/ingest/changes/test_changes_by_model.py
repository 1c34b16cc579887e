"""Hundreds of submissions, voids and corrections in a small world, held against a plain model."""

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import TypeAlias

import asyncpg

from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.changes.voids import Voiding, void_session
from shared.errors import MahjicError
from tests.conftest import Database
from tests.ingest.changes.asking import ports_on
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import (
    SOURCES,
    a_submission,
    found,
    ids_and_times_of,
    outcome_of,
    recorder_of,
    recording,
)
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline

STEPS = 250
IDS_AND_TIMES = ids_and_times_of(random.Random(1))
ON_RECORD = """
SELECT session_id, source, status, corrects, corrected_by, place_seq,
    (SELECT array_agg(player_id ORDER BY player_id) FROM mahjic.seats
     WHERE seats.session_id = submissions.session_id) AS seated,
    ended_fact_seq IS NOT NULL AS has_ended
FROM mahjic.submissions ORDER BY fact_seq
"""

# A day, and how many of three games Ada won.
Content: TypeAlias = tuple[str, int]


@dataclass
class Session:
    """A session, as the rules have it."""

    number: int
    source: str
    content: Content
    place: int
    status: str = "accepted"
    corrects: "Session | None" = None
    corrected_by: "Session | None" = None


@dataclass
class Model:
    """The rules for what comes twice and for what may be changed, without a database."""

    sessions: list[Session] = field(default_factory=list)
    facts: int = 1

    def submit(self, number: int, source: str, content: Content) -> str:
        """A whole session of one's own is repeated; any other round on record is a duplicate.

        Of several with the same content it is the first that counts, else the first.
        """
        same = [each for each in self.sessions if (each.source, each.content) == (source, content)]
        for each in [*(one for one in same if one.status == "accepted"), *same]:
            return f"replayed {each.number} ({each.status})"
        if self._held(content):
            return "duplicate_session"
        self.facts += 1
        self.sessions.append(Session(number, source, content, self.facts))
        return f"accepted {number}"

    def void(self, old: Session, source: str) -> str:
        """A void is the same however often it is asked for."""
        if source != old.source:
            return "unknown_session"
        if old.corrected_by is not None:
            return f"already_corrected {self._newest(old)}"
        if old.status == "voided":
            return f"replayed {old.number}"
        self.facts += 1
        old.status = "voided"
        return f"voided {old.number}"

    def correct(self, number: int, old: Session, source: str, content: Content) -> str:
        """A correction is recognized by its content, and takes the old one's place."""
        if source != old.source:
            return "unknown_session"
        if (first := old.corrected_by) is not None:
            if first.content == content:
                return f"replayed {first.number}"
            return f"already_corrected {self._newest(old)}"
        if self._held(content, but=old):
            return "duplicate_session"
        self.facts += 1
        new = Session(number, source, content, old.place, corrects=old)
        old.status, old.corrected_by = "corrected", new
        self.sessions.append(new)
        return f"corrected by {number}"

    def _held(self, content: Content, but: Session | None = None) -> bool:
        return any(
            each.content == content and each.status == "accepted" and each is not but
            for each in self.sessions
        )

    def _newest(self, old: Session) -> int:
        while old.corrected_by is not None:
            old = old.corrected_by
        return old.number


def id_of(number: int) -> str:
    return a_submission(number, claim_of(("2026-01-01", 0))).session_id


def claim_of(content: Content) -> dict[str, object]:
    day, won = content
    return a_session(a_round(ada=won, bo=3 - won), on=day)


async def ask_to_submit(number: int, source: str, content: Content, ports: ChangePorts) -> str:
    submission = a_submission(number, claim_of(content), source=source)
    try:
        outcome = outcome_of(await recorder_of(ports).record(submission))
    except MahjicError as refused:
        return refused.code
    return outcome.removesuffix(" by content")


async def ask_to_void(old: Session, source: str, ports: ChangePorts) -> str:
    voiding = Voiding((id_of(old.number),), "other", None, source)
    try:
        answer = await void_session(voiding, wait_s=0, ports=ports)
    except MahjicError as refused:
        return _told(refused)
    return f"{'replayed' if answer.is_replayed else 'voided'} {answer.body['session_id']}"


async def ask_to_correct(
    number: int, old: Session, source: str, content: Content, ports: ChangePorts
) -> str:
    submission = a_submission(number, claim_of(content), source=old.source)
    correction = AskedCorrection(id_of(old.number), submission, "other", None, source)
    try:
        answer = await correct_session(correction, wait_s=0, ports=ports)
    except MahjicError as refused:
        return _told(refused)
    how = "replayed" if answer.is_replayed else "corrected by"
    return f"{how} {answer.body['session_id']}"


def _told(refused: MahjicError) -> str:
    newest = refused.extra.get("newest")
    return f"{refused.code} {newest}" if newest else refused.code


def with_ids(outcome: str) -> str:
    """Return an outcome of the model with session ids in the place of numbers."""
    return " ".join(id_of(int(each)) if each.isdecimal() else each for each in outcome.split(" "))


async def step(chance: random.Random, number: int, model: Model, ports: ChangePorts) -> str:
    """Ask for something at random, hold the answer against the model, and return its first word."""
    content = (chance.choice(["2026-01-01", "2026-01-02"]), chance.randrange(4))
    source = chance.choice(SOURCES)
    act = chance.choice(["submit", "void", "correct", "correct"]) if model.sessions else "submit"
    old = chance.choice(model.sessions) if model.sessions else None
    if old is None or act == "submit":
        expected = model.submit(number, source, content)
        answer = await ask_to_submit(number, source, content, ports)
    elif act == "void":
        source = source if chance.random() < 0.2 else old.source
        expected = model.void(old, source)
        answer = await ask_to_void(old, source, ports)
    else:
        source = source if chance.random() < 0.2 else old.source
        expected = model.correct(number, old, source, content)
        answer = await ask_to_correct(number, old, source, content, ports)
    assert answer == with_ids(expected), (number, act, source, content)
    return answer.split(" ")[0]


async def check_record(pool: asyncpg.Pool, model: Model) -> None:
    """What is on record is what the model holds."""
    rows = await pool.fetch(ON_RECORD)
    assert [
        (row["session_id"], row["source"], row["status"], row["place_seq"], row["corrects"])
        for row in rows
    ] == [
        (id_of(s.number), s.source, s.status, s.place, s.corrects and id_of(s.corrects.number))
        for s in model.sessions
    ]
    assert [row["corrected_by"] for row in rows] == [
        s.corrected_by and id_of(s.corrected_by.number) for s in model.sessions
    ]
    assert [row["has_ended"] for row in rows] == [s.status != "accepted" for s in model.sessions]
    assert all(len(row["seated"]) == 2 for row in rows)
    facts = await pool.fetchval("SELECT count(*) FROM mahjic.facts")
    assert facts == model.facts


async def test_every_outcome_is_that_of_the_model(database: Database) -> None:
    await found(database.pool, IDS_AND_TIMES)
    chance, model, met = seeded_chance(), Model(), set[str]()
    async with contextlib.AsyncExitStack() as processes:
        several = [
            ports_on(
                await processes.enter_async_context(
                    recording(database.dsn, ids_and_times_of(random.Random(number)))
                ),
                IDS_AND_TIMES,
            )
            for number in range(2)
        ]
        async with deadline():
            for number in range(STEPS):
                met.add(await step(chance, number, model, chance.choice(several)))
                await asyncio.sleep(0)
    await check_record(database.pool, model)
    # Of 3,000 seeds the one with the fewest had 3 voids and 13 corrections.
    assert {"accepted", "voided", "corrected"} <= met
