"""Tries and sends claims in the name of a source, by the functions behind `/v1/sessions`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import orjson

from services.desks.answers import refusal_words, sessions_in
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.claim.reading import read_session
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.prints import key_print
from services.ingest.submit import Ports, RequestInProgress, submit_session
from services.ingest.trials import Trials
from services.projections.sessions.routes import StoredSessions
from services.site.desk.night.nights import SentNight
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
    try:
        return SentNight(await _record(ports, source, key, going))
    except RequestInProgress:
        raise
    except MahjicError as refused:
        if refused.status >= 500:
            raise
        return SentNight(similar=sessions_in(refused), refusal=refusal_words(refused))


async def _record(ports: SendingPorts, source: str, key: str, going: Mapping[str, Any]) -> str:
    send_as, corrects = going["send_as"], going["corrects"]
    asked = {"allow_duplicate": True} if send_as == "another" else {"if_similar": "refuse"}
    body = orjson.dumps({**going["claim"], **asked} if send_as != "correction" else going["claim"])
    session = read_session(body, source=source, today_latest=ports.today_latest())
    if send_as == "new" and going.get("is_whole_night"):
        session = replace(session, is_whole_night=True)
    own_key = key_print(source, "POST", KEY_PATH, key)
    if send_as == "correction":
        new_id = ports.submitting.new_session_id()
        submission = Submission(new_id, source, session, own_key)
        correction = AskedCorrection(corrects, submission, "wrong_result", None, source)
        told = await correct_session(correction, wait_s=WAIT_S, ports=ports.changing)
        return told.body["session_id"]
    answer = await submit_session(
        session, source=source, key_print=own_key, wait_s=WAIT_S, ports=ports.submitting
    )
    return answer.body["session_id"]
