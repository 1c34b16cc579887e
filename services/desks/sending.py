"""Tries and sends claims in the name of a source, by the functions behind `/v1/sessions`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Final

import orjson

from services.accounts.members.session_acts import SessionActKind, note_session_act
from services.desks.answers import refusal_words, sessions_in
from services.ingest.changes.answering import Beside, ChangeAnswer, ChangePorts
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.claim.reading import read_correction, read_session
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.prints import key_print
from services.ingest.submit import Ports, RequestInProgress, submit_session
from services.ingest.trials import Trials
from services.projections.sessions.routes import StoredSessions
from services.site.desk.night.nights import SentNight
from shared.answers.effects import CorrectionAnswer
from shared.answers.trials import TrialAnswer
from shared.errors import MahjicError

# Whoever sends a night waits for its ratings this long, and then sees them as soon as they come.
WAIT_S: Final = 6.0
# Beside the addresses of the interface, so no key of a program is the same.
KEY_PATH: Final = "/desk/night"


@dataclass(frozen=True, slots=True)
class SendingPorts:
    """What recording and looking up sessions needs."""

    submitting: Ports
    changing: ChangePorts
    trials: Trials
    sessions: StoredSessions
    today_latest: Callable[[], date]

    def noting(self, source: str, session_id: str, act: SessionActKind, by: str) -> Beside:
        """Return what notes an act of a member, in the transaction of the fact that it makes."""
        at = self.changing.ids_and_times.now()
        return partial(
            note_session_act, source=source, session_id=session_id, act=act, by=by, at=at
        )


async def trial_of(
    ports: SendingPorts, source: str, claim: Mapping[str, Any]
) -> TrialAnswer | MahjicError:
    """Return what would be answered to a claim, or what would refuse it.

    Raises TooManyTrials, or ServiceUnavailable.
    """
    ports.trials.count(source)
    try:
        session = read_session(
            orjson.dumps(claim), source=source, today_latest=ports.today_latest()
        )
        return await ports.trials.run(session, source=source)
    except MahjicError as refused:
        if refused.status >= 500:
            raise
        return refused


async def send_claim(
    ports: SendingPorts, source: str, key: str, going: Mapping[str, Any]
) -> SentNight:
    """Record what is on its way; a refusal says why nothing was.

    Raises ServiceUnavailable and RequestInProgress, after which it may be recorded or not.
    """
    own_key = key_print(source, "POST", KEY_PATH, key)
    try:
        if going["send_as"] == "correction":
            return await _correct(ports, source, own_key, going)
        return await _submit(ports, source, own_key, going)
    except RequestInProgress:
        raise
    except MahjicError as refused:
        if refused.status >= 500:
            raise
        return SentNight(similar=sessions_in(refused), refusal=refusal_words(refused))


async def _submit(
    ports: SendingPorts, source: str, own_key: bytes, going: Mapping[str, Any]
) -> SentNight:
    is_meant = going["send_as"] == "another"
    asked = {"allow_duplicate": True} if is_meant else {"if_similar": "refuse"}
    body = orjson.dumps({**going["claim"], **asked})
    session = read_session(body, source=source, today_latest=ports.today_latest())
    if going["send_as"] == "new" and going.get("is_whole_night"):
        session = replace(session, is_whole_night=True)
    answer = await submit_session(
        session, source=source, key_print=own_key, wait_s=WAIT_S, ports=ports.submitting
    )
    is_first = answer.by_key or not answer.is_replayed
    return SentNight(answer.body["session_id"], is_first=is_first)


async def _correct(
    ports: SendingPorts, source: str, own_key: bytes, going: Mapping[str, Any]
) -> SentNight:
    corrects, by = going["corrects"], going.get("by")
    asked = {"allow_duplicate": True} if going.get("is_meant") else {}
    told = await correct_as_source(
        ports,
        source,
        corrects,
        {**going["claim"], **going.get("said", {}), **asked},
        own_key=own_key,
        beside=None if by is None else ports.noting(source, corrects, "corrected", by),
    )
    return SentNight(told.body["session_id"])


async def correct_as_source(
    ports: SendingPorts,
    source: str,
    session_id: str,
    claim: Mapping[str, Any],
    *,
    own_key: bytes,
    beside: Beside | None,
) -> ChangeAnswer[CorrectionAnswer]:
    """Put a claim in the place of a session of a source, as the source's own correction.

    Raises what refuses it.
    """
    read = read_correction(orjson.dumps(claim), source=source, today_latest=ports.today_latest())
    submission = Submission(ports.submitting.new_session_id(), source, read.session, own_key)
    said = read.words
    correction = AskedCorrection(session_id, submission, said.reason, said.note, source, beside)
    return await correct_session(correction, wait_s=WAIT_S, ports=ports.changing)
