"""Reads the body of a submission into a valid session, or refuses it with every mistake in it.

Pure. The text is decoded once and walked through once (`walk.py`). Only if the walk finds something
wrong is the model of the claim used too: it says what is wrong with the form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from services.ingest.claim.checks import CheckedSession, IfSimilar
from services.ingest.claim.claims import (
    Claimed,
    CorrectionClaim,
    CorrectionWords,
    LineClaim,
    LineWords,
    SessionClaim,
)
from services.ingest.claim.walk import Walk
from shared.documents import checked, read_document
from shared.errors import ClaimRefused, Mistake
from shared.json_text import JsonDocument

Words = TypeVar("Words", bound=Claimed)


class _Form(Generic[Words]):
    """What a body may be: a claim, and which of its fields come besides the session."""

    def __init__(self, claim: type[SessionClaim], words: type[Words]) -> None:
        self.claim = TypeAdapter(claim)
        self.fields = frozenset(claim.model_fields)
        self._words = TypeAdapter(words)
        self._word_fields = tuple(words.model_fields)
        self._no_words = words()

    def words_in(self, document: JsonDocument) -> Words | None:
        """Return these fields of a document, or None if they are not valid."""
        claim = document.value if isinstance(document.value, dict) else {}
        said = {name: claim[name] for name in self._word_fields if name in claim}
        if not said:
            return self._no_words
        if document.odd_values():
            return None
        try:
            return self._words.validate_python(said, strict=True)
        except ValidationError:
            return None


_SESSION: Final = _Form(SessionClaim, Claimed)
_LINE: Final = _Form(LineClaim, LineWords)
_CORRECTION: Final = _Form(CorrectionClaim, CorrectionWords)


@dataclass(frozen=True, slots=True)
class ReadCorrection:
    """A valid correction: what it says besides the session, and the claim as it came."""

    words: CorrectionWords
    session: CheckedSession
    claim: Mapping[str, Any]

    def told(self) -> dict[str, Any]:
        """Return the claim for an answer, without its null fields."""
        claim = _CORRECTION.claim.validate_python(self.claim, strict=True)
        return claim.model_dump(mode="json", exclude_none=True, exclude_unset=True)


def read_session(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> CheckedSession:
    """Return the session of a request body.

    `today_latest` is today's date in the latest time zone on earth. `if_similar` applies if the
    session does not set it. Raises MalformedJson, or ClaimRefused with every mistake.
    """
    return session_in(
        read_document(raw), source=source, today_latest=today_latest, if_similar=if_similar
    )


def session_in(
    document: JsonDocument, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> CheckedSession:
    """Return the session of a body that is decoded. Raises ClaimRefused with every mistake."""
    walk = Walk(document.value, _SESSION.fields, source=source, today_latest=today_latest)
    if not walk.finds_nothing_wrong:
        raise _refusal(_SESSION, walk, document)
    return walk.session(if_similar)


def read_line(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> tuple[str | None, CheckedSession]:
    """Return the Idempotency-Key of a batch line as it was sent, and the line's session.

    Raises the same as `read_session`.
    """
    words, walk, _ = _read_with_words(_LINE, raw, source=source, today_latest=today_latest)
    return words.idempotency_key, walk.session(if_similar)


def read_correction(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> ReadCorrection:
    """Return a correction of one of `source`'s sessions. Raises the same as `read_session`."""
    words, walk, document = _read_with_words(
        _CORRECTION, raw, source=source, today_latest=today_latest
    )
    return ReadCorrection(words, walk.session(if_similar), cast("dict[str, Any]", document.value))


def _read_with_words(
    form: _Form[Words], raw: bytes, *, source: str, today_latest: date
) -> tuple[Words, Walk, JsonDocument]:
    document = read_document(raw)
    walk = Walk(document.value, form.fields, source=source, today_latest=today_latest)
    words = form.words_in(document)
    if words is None or not walk.finds_nothing_wrong:
        raise _refusal(form, walk, document)
    return words, walk, document


def _refusal(form: _Form[Any], walk: Walk, document: JsonDocument) -> ClaimRefused:
    """Return a refusal with the mistakes found by the claim's model and by the walk."""
    found: dict[tuple[str, str], Mistake] = {}
    for each in (*_mistakes_of_form(form, document), *walk.mistakes):
        found.setdefault((each.pointer, each.code), each)
    return ClaimRefused(found.values())


def _mistakes_of_form(form: _Form[Any], document: JsonDocument) -> tuple[Mistake, ...]:
    try:
        checked(form.claim, document)
    except ClaimRefused as refused:
        return refused.mistakes
    return ()
