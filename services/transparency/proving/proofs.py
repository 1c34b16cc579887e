"""Makes proofs: that records are on the logs as they were last signed, and what they say."""

import base64
from dataclasses import dataclass
from typing import Final

from services.projections.answering.reading import ViewReader
from services.projections.history.reads import (
    HistoryRequest,
    ProvedReason,
    answer_reason,
    answer_reasons,
)
from services.projections.log.routes import Logs
from services.projections.sessions.queries import read_session
from services.transparency.proving.answers import (
    ChangeProof,
    ChangeProofs,
    Checkpoints,
    ProvedChange,
    ProvedRecord,
    SessionProof,
    ShownRecord,
)
from services.transparency.proving.finding import find_verdict, read_record
from services.transparency.proving.ports import NoPublicLog, PublicLogs, SignedTree
from services.transparency.proving.showing import why_withheld
from shared.errors import MahjicError, UnknownSession
from shared.http.callers import Caller
from shared.ids import is_session_id
from shared.log.port import Log, Record
from shared.tlog.leaves import LogName, chains_hash, split_chains
from shared.tlog.trees import TileTree

RETRY_AFTER_S: Final = 2


class ProofPending(MahjicError):
    """What is to be proved is on a log, and the log is not signed that far yet."""

    code = "proof_pending"
    title = "The public log is not signed that far yet"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "This is on record, and the public log will be signed that far in a moment. "
            f"Ask again in {RETRY_AFTER_S} s.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


@dataclass(frozen=True, slots=True)
class Prover:
    """What proofs are made of; `public` is None where there is no public log."""

    reader: ViewReader
    logs: Logs
    public: PublicLogs | None

    def signed(self) -> "Signed":
        """Return both logs as they were last signed. Raises NoPublicLog and ProofPending."""
        if self.public is None:
            raise NoPublicLog
        return Signed(
            self.public,
            _signed_log("facts", self.logs.facts, self.public.facts),
            _signed_log("verdicts", self.logs.verdicts, self.public.verdicts),
        )


@dataclass(frozen=True, slots=True)
class _SignedLog:
    """A log, with its tree as it was last signed. Each tile is read once."""

    log: Log
    name: LogName
    note: str
    tree: TileTree


@dataclass(frozen=True, slots=True)
class Signed:
    """Both logs as they were last signed, for one answer."""

    public: PublicLogs
    facts: _SignedLog
    verdicts: _SignedLog

    @property
    def checkpoints(self) -> Checkpoints:
        """The notes that say so."""
        return {"facts": self.facts.note, "verdicts": self.verdicts.note}


async def prove_change(
    prover: Prover, who: str, change_id: str, caller: Caller | None, *, seq_min: int | None = None
) -> ChangeProof:
    """Return a change with its proof.

    Raises NoPublicPlayer, UnknownChange, NoPublicLog and ProofPending.
    """
    signed = prover.signed()
    reason = await answer_reason(prover.reader.since(seq_min), who, change_id)
    proved = await _proved_change(prover, signed, reason, caller)
    return {**proved, "player_id": who, "checkpoints": signed.checkpoints}


async def prove_changes(
    prover: Prover, who: str, asked: HistoryRequest, caller: Caller | None
) -> ChangeProofs:
    """Return a page of a player's changes, newest first, each with its proof. Raises the same."""
    signed = prover.signed()
    page = await answer_reasons(prover.reader, who, asked)
    changes = [await _proved_change(prover, signed, each, caller) for each in page.reasons]
    return {
        "player_id": who,
        "seq": page.seq,
        "checkpoints": signed.checkpoints,
        "changes": changes,
        "next_cursor": page.next_cursor,
    }


async def prove_session(prover: Prover, session_id: str, caller: Caller) -> SessionProof:
    """Return the proof of a session for its source. Raises UnknownSession and as above."""
    signed = prover.signed()
    stored = await read_session(prover.reader, session_id) if is_session_id(session_id) else None
    if stored is None or caller.source not in {None, stored.source}:
        raise UnknownSession
    fact = await _found(prover, signed.facts, stored.fact_seq, caller, session_id)
    record = await find_verdict(signed.verdicts.log, stored.fact_seq, None)
    return {
        "session_id": session_id,
        "checkpoints": signed.checkpoints,
        "fact": fact,
        "verdict": await _proved(prover, signed.verdicts, record, caller, session_id),
    }


async def _proved_change(
    prover: Prover, signed: Signed, reason: ProvedReason, caller: Caller | None
) -> ProvedChange:
    place = reason.place
    record = await find_verdict(signed.verdicts.log, place.fact_seq, place.player_id)
    return {
        "change_id": place.change_id,
        "why": reason.why,
        "fact": await _found(prover, signed.facts, place.fact_seq, caller),
        "verdict": await _proved(prover, signed.verdicts, record, caller),
    }


async def _found(
    prover: Prover,
    signed: _SignedLog,
    seq: int,
    caller: Caller | None,
    session_id: str | None = None,
) -> ProvedRecord:
    record = await read_record(signed.log, seq)
    return await _proved(prover, signed, record, caller, session_id)


async def _proved(
    prover: Prover,
    signed: _SignedLog,
    record: Record | None,
    caller: Caller | None,
    session_id: str | None = None,
) -> ProvedRecord:
    if record is None or record.seq > signed.tree.size:
        raise ProofPending
    withheld = await why_withheld(prover.reader.fetch_plain, caller, record, session_id=session_id)
    index = record.seq - 1
    return {
        "log": signed.name,
        "seq": record.seq,
        "leaf_hash": _text(signed.tree.leaf(index)),
        "proof": [_text(each) for each in signed.tree.prove_leaf(index)],
        "record": None if withheld else await _shown(prover, signed, record),
        "withheld": withheld,
    }


async def _shown(prover: Prover, signed: _SignedLog, record: Record) -> ShownRecord:
    assert prover.public is not None, "There is something signed."
    log_id = (await signed.log.beginning()).log_id
    salt, chain_salt = prover.public.salts(log_id, signed.name, record.seq)
    blanked, inside = split_chains(record.body)
    return {
        "body": blanked.decode(),
        "salt": _text(salt),
        "chains_hash": _text(chains_hash(chain_salt, record.chain, *inside)),
    }


def _signed_log(name: LogName, log: Log, public: SignedTree) -> _SignedLog:
    head = public.head()
    if head is None:
        raise ProofPending
    tree = TileTree(head.checkpoint.size, public.read_tile)
    return _SignedLog(log, name, head.note, tree)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
