"""The judgment on a submission: accepted, a session that is already on record, or refused."""

from dataclasses import dataclass
from typing import Literal

from services.ingest.record.judging.identified import Identified, Submission
from services.ingest.record.judging.on_record import KnownSession
from services.ingest.record.judging.similar import SimilarRound
from shared.errors import MahjicError
from shared.events.facts import SessionSubmitted


class IdempotencyKeyReused(MahjicError):
    """The key was used before with different content."""

    code = "idempotency_key_reused"
    title = "The Idempotency-Key was used for another request"
    status = 422


@dataclass(frozen=True, slots=True)
class Accepted:
    """A session that becomes the fact `fact_seq`.

    `kept_print` is the print of the request, if it came with a key. `similar` are the rounds on
    record that look like its own. `on_record` says for each of its rounds whether the source
    already has it on record.
    """

    identified: Identified
    fact: SessionSubmitted
    fact_seq: int
    kept_print: bytes | None
    similar: tuple[SimilarRound, ...] = ()
    on_record: tuple[bool, ...] = ()

    @property
    def submission(self) -> Submission:
        return self.identified.submission


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that is already on record, word for word. `by_key` is true if its key says so.

    `counting` is another session with the same content that counts, if the earlier one does not.
    `kept_print` is the print of the request, if its key is kept from now on.
    """

    identified: Identified
    earlier: KnownSession
    counting: str | None
    kept_print: bytes | None
    by_key: bool
    similar: tuple[SimilarRound, ...] = ()
    on_record: tuple[bool, ...] = ()

    @property
    def submission(self) -> Submission:
        return self.identified.submission

    @property
    def session_id(self) -> str:
        """The session on record."""
        return self.earlier.session_id

    @property
    def status(self) -> Literal["accepted", "voided", "corrected"]:
        """Whether it counts, was voided or was corrected."""
        return self.earlier.status


Judgment = Accepted | Replayed | MahjicError
