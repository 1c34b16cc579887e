"""The way from a fact on the log to the bytes of the verdicts on it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TypeAlias

import structlog

from services.rater.correct import Checkpoints, NoCheckpoints, PastVerdict, correct
from services.rater.decide import decide
from services.rater.state import State
from services.rater.together import TOGETHER_MIN, rate_together
from shared.events.codec import Fact, decode_fact, decode_facts, encode_verdict
from shared.events.facts import SessionSubmitted
from shared.events.fields import UnreadableRecord
from shared.events.verdicts import Answers, FactRefused, VerdictEvent
from shared.log.port import Position, Record
from shared.rating.kernel import Loop
from shared.replay.chronicle import Chronicle, FactAboutThePast
from shared.replay.replay import Checkpoint, Replay

# A record and what it says.
Read: TypeAlias = tuple[Record, Fact | UnreadableRecord]

_log = structlog.get_logger(__name__)


def read_fact(record: Record) -> Fact | UnreadableRecord:
    """Return the fact in a record, or what is wrong with it.

    Raises UnknownEventType: a fact of a newer program must not be skipped.
    """
    try:
        return decode_fact(record.body)
    except UnreadableRecord as error:
        return error


def _kind(read: Read) -> type:
    _, fact = read
    return type(fact.event) if isinstance(fact, Fact) else UnreadableRecord


def is_about_the_past(read: Fact | UnreadableRecord) -> bool:
    """Return whether the answer to a fact takes a replay, which can take long."""
    return isinstance(read, Fact) and isinstance(read.event, FactAboutThePast)


class Rater:
    """The state, the position that it is at, and the way from a fact to a verdict's bytes."""

    def __init__(
        self,
        beginning: Position,
        engine: str,
        chronicle: Chronicle,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self._engine = engine
        self._checkpoints = checkpoints or NoCheckpoints()
        self.state = State(chronicle)
        self._log_id = beginning.log_id
        self._last: Position | Record = beginning
        self.facts_refused = 0
        # Before this place the history has not changed since the standings were last settled.
        self._untouched = 0

    @property
    def position(self) -> Position:
        """The last fact that was answered or taken in."""
        return Position(self._log_id, self._last.seq, self._last.chain)

    def restore(self, position: Position, time: str) -> None:
        """Continue at a position that the chronicle has already reached.

        `time` is that of the last readable fact up to there. The standings lag behind until
        `settle`.
        """
        self._last = position
        self.state.time = time
        self._untouched = position.seq + 1

    def answer(
        self, record: Record, check_stopped: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """Decide one fact, take the verdict in, and return the bytes of its parts.

        Raises UnknownEventType, UnknownFormula and FormulaDiffers, and then nothing is changed.
        `check_stopped` is called now and then; if it raises, this rater can no longer be used.
        """
        return self.answer_fact(record, read_fact(record), check_stopped)

    def answer_fact(
        self,
        record: Record,
        read: Fact | UnreadableRecord,
        check_stopped: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """Do the same for a record that has been read."""
        if isinstance(read, UnreadableRecord):
            return self._refuse(record, read)
        event = read.event
        decided: VerdictEvent | PastVerdict
        if isinstance(event, FactAboutThePast):
            decided = correct(self.state, record.seq, event, self._checkpoints, check_stopped)
        else:
            decided = decide(self.state, event)
            self.state.evolve(record.seq, event, decided)
        if isinstance(decided, FactRefused):
            self._sound_alarm(record, decided.reason)
        encode = partial(self._encode, record, time=read.time, subject=read.subject)
        if isinstance(decided, PastVerdict):
            bodies: list[bytes] = []
            for number in range(1, decided.parts + 1):
                check_stopped()
                part = decided.part(number)
                bodies.append(encode(part, part=number, parts=decided.parts))
        else:
            bodies = [encode(decided)]
        self._move_to(record, read.time)
        return bodies

    def answer_all(
        self, read: Iterable[Read], loop: Loop | None, together_min: int = TOGETHER_MIN
    ) -> Iterator[bytes]:
        """Yield the verdicts on records that were read, none of them about the past.

        With a loop, sessions that follow each other are rated together if there are enough. Raises
        as `answer` does, once everything before is yielded.
        """
        for _, group in groupby(read, _kind):
            together = [*group]
            rated = None
            if loop is not None and len(together) >= together_min:
                rated = self._rate_together(together, loop)
            if rated is not None:
                yield from rated
                continue
            for record, fact in together:
                yield from self.answer_fact(record, fact)

    def take_in(self, records: Sequence[Record]) -> Iterator[None]:
        """Take in facts, one at least, without answers; the standings lag until `settle`.

        Pauses after each that takes longer, so that others get a turn. Raises as `answer` does,
        and then this rater can no longer be used.
        """
        facts = decode_facts((record.seq, record.body) for record in records)
        chronicle = self.state.chronicle
        for is_past, group in groupby(facts, lambda fact: is_about_the_past(fact[1])):
            together = [(seq, fact.event) for seq, fact in group]
            for some in ([each] for each in together) if is_past else [together]:
                refused = chronicle.take_in_all(some)
                for seq, reason in refused.items():
                    _log.debug("fact_was_refused", fact_seq=seq, reason=reason)
                if is_past and not refused:
                    first_place = chronicle.first_place(some[0][0])
                    self._untouched = min(self._untouched, first_place)
                yield
        self._move_to(records[-1], facts[-1][1].time if facts else self.state.time)

    def settle(self, check_stopped: Callable[[], None] = lambda: None) -> None:
        """Bring the standings to the position, from the newest checkpoint that is still valid.

        `check_stopped` is called now and then, and may raise.
        """
        end = self.position.seq + 1
        self._checkpoints.drop_beyond(self._untouched)
        replay = Replay(
            self.state.chronicle, self.position.seq, self._checkpoints.newest(self._untouched)
        )
        for stop in (*self._checkpoints.worth_keeping(replay.place, end), end):
            for _ in replay.stretches(stop):
                check_stopped()
            if stop < end:
                self._checkpoints.keep(Checkpoint(replay.place, replay.standings))
        self.state.put(replay.standings)

    def _rate_together(self, read: Sequence[Read], loop: Loop) -> list[bytes] | None:
        """Return the verdicts on sessions; None, with nothing changed, if any is impossible."""
        sessions = [
            (record, fact, fact.event)
            for record, fact in read
            if isinstance(fact, Fact) and isinstance(fact.event, SessionSubmitted)
        ]
        if len(sessions) < len(read):
            return None
        submitted = [(record.seq, session) for record, _, session in sessions]
        rated = rate_together(self.state, submitted, loop)
        if rated is None:
            return None
        bodies = [
            self._encode(record, verdict, time=fact.time, subject=fact.subject)
            for (record, fact, _), verdict in zip(sessions, rated, strict=True)
        ]
        record, fact, _ = sessions[-1]
        self._move_to(record, fact.time)
        return bodies

    def _refuse(self, record: Record, error: UnreadableRecord) -> list[bytes]:
        self._sound_alarm(record, error.detail)
        event = FactRefused(UnreadableRecord.code, None)
        # Its own time and subject cannot be read.
        time, subject = self.state.time, f"fact {record.seq}"
        body = self._encode(record, event, time=time, subject=subject)
        self._move_to(record, time)
        return [body]

    def _encode(
        self,
        record: Record,
        event: VerdictEvent,
        *,
        time: str,
        subject: str,
        part: int = 1,
        parts: int = 1,
    ) -> bytes:
        formula = self.state.formula
        answers = Answers(
            fact_seq=record.seq,
            fact_chain=record.chain,
            part=part,
            parts=parts,
            formula="" if formula is None else formula.name,
            engine=self._engine,
        )
        return encode_verdict(event, answers, log_id=self._log_id, time=time, subject=subject)

    def _move_to(self, record: Record, time: str) -> None:
        self.state.time = time
        self._last = record

    def _sound_alarm(self, record: Record, reason: str) -> None:
        self.facts_refused += 1
        _log.error("fact_refused", fact_seq=record.seq, reason=reason)
