"""Makes proofs: that records are on the logs as they were last signed, and what they say."""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
from services.transparency.folder import TransparencyFolder
from services.transparency.key_files import read_salt_key
from services.transparency.proving.answers import (
    ChangeProof,
    ChangeProofs,
    ListedChange,
    ProvedChange,
    ProvedRecord,
    SessionProof,
    ShownRecord,
    SignedNotes,
)
from services.transparency.proving.finding import find_verdict, read_record
from services.transparency.proving.showing import why_withheld
from services.transparency.public_logs import PublicLogs
from shared.errors import MahjicError, UnknownSession
from shared.http.callers import Caller
from shared.ids import is_session_id
from shared.log.port import Log, Record
from shared.seated import Fetch
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.leaves import LogName, chains_hash, salt, split_chains
from shared.tlog.trees import TileTree

RETRY_AFTER_S: Final = 2


class ProofPending(MahjicError):
    """What is to be proved is on a log, and the log is not signed that far yet."""

    code = "proof_pending"
    title = "The public log is not signed that far yet"
    status = 503

    def __init__(self, folder: TransparencyFolder) -> None:
        is_stopped = folder.stopped() is not None
        super().__init__(
            "This is on record, but at present the public log is not signed any further. Whoever "
            "runs this site is told why."
            if is_stopped
            else "This is on record, and the public log will be signed that far in a moment. "
            f"Ask again in {RETRY_AFTER_S} s.",
            headers={} if is_stopped else {"Retry-After": str(RETRY_AFTER_S)},
        )


@dataclass(frozen=True, slots=True)
class Prover:
    """What proofs are made of: what is shown, the logs behind it, and the public logs."""

    reader: ViewReader
    logs: Logs
    public: PublicLogs

    def signed(self) -> "SignedLogs":
        """Return both logs as they were last signed. Raises NoPublicLog and ProofPending."""
        folder = self.public.there()
        return SignedLogs(
            folder,
            _signed_log("facts", self.logs.facts, folder),
            _signed_log("verdicts", self.logs.verdicts, folder),
        )


@dataclass(frozen=True, slots=True)
class _SignedLog:
    """A log, with its tree as it was last signed. Each tile is read once."""

    log: Log
    name: LogName
    note: str
    tree: TileTree


@dataclass(frozen=True, slots=True)
class SignedLogs:
    """Both logs as they were last signed, for one answer."""

    folder: TransparencyFolder
    facts: _SignedLog
    verdicts: _SignedLog

    @property
    def checkpoints(self) -> SignedNotes:
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
    asked = _Asked(prover.reader.fetch_plain, signed.folder, caller)
    proved = await _proved_change(asked, signed, reason)
    return {**proved, "player_id": who, "checkpoints": signed.checkpoints}


async def prove_changes(
    prover: Prover, who: str, request: HistoryRequest, caller: Caller | None
) -> ChangeProofs:
    """Return a page of a player's changes, newest first, each with its proof. Raises the same."""
    signed = prover.signed()
    page = await answer_reasons(prover.reader, who, request)
    asked = _Asked(prover.reader.fetch_plain, signed.folder, caller)
    proved = [await _proved_change(asked, signed, each) for each in page.reasons]
    return {
        "player_id": who,
        "seq": page.seq,
        "checkpoints": signed.checkpoints,
        "changes": [_listed(each) for each in proved],
        "records": {
            "facts": _once(each["fact"] for each in proved),
            "verdicts": _once(each["verdict"] for each in proved),
        },
        "next_cursor": page.next_cursor,
    }


async def prove_session(prover: Prover, session_id: str, caller: Caller) -> SessionProof:
    """Return the proof of a session for its source. Raises UnknownSession and as above."""
    signed = prover.signed()
    stored = await read_session(prover.reader, session_id) if is_session_id(session_id) else None
    if stored is None or caller.source not in {None, stored.source}:
        raise UnknownSession
    asked = _Asked(prover.reader.fetch_plain, signed.folder, caller, session_id)
    record = await find_verdict(signed.verdicts.log, stored.fact_seq, None)
    return {
        "session_id": session_id,
        "checkpoints": signed.checkpoints,
        "fact": await asked.found(signed.facts, stored.fact_seq),
        "verdict": await asked.proved(signed.verdicts, record),
    }


async def _proved_change(asked: "_Asked", signed: SignedLogs, reason: ProvedReason) -> ProvedChange:
    place = reason.place
    return {
        "change_id": place.change_id,
        "why": reason.why,
        "fact": await asked.found(signed.facts, place.fact_seq),
        "verdict": await asked.answered(signed.verdicts, place.fact_seq, place.player_id),
    }


def _listed(change: ProvedChange) -> ListedChange:
    return {
        "change_id": change["change_id"],
        "why": change["why"],
        "fact_seq": change["fact"]["seq"],
        "verdict_seq": change["verdict"]["seq"],
    }


def _once(records: Iterable[ProvedRecord]) -> list[ProvedRecord]:
    return list({each["seq"]: each for each in records}.values())


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asks; `session_id` is their own session that the records are about.

    The rounds of a session are in one record, which is proved once for one answer.
    """

    fetch: Fetch
    folder: TransparencyFolder
    caller: Caller | None
    session_id: str | None = None
    _facts: dict[int, ProvedRecord] = field(default_factory=dict)
    _verdicts: dict[tuple[int, str], ProvedRecord] = field(default_factory=dict)

    async def found(self, signed: _SignedLog, seq: int) -> ProvedRecord:
        """Return a fact by its number, proved."""
        if seq not in self._facts:
            self._facts[seq] = await self.proved(signed, await read_record(signed.log, seq))
        return self._facts[seq]

    async def answered(self, signed: _SignedLog, fact_seq: int, player_id: str) -> ProvedRecord:
        """Return the part of the verdict on a fact that names a player, proved."""
        place = fact_seq, player_id
        if place not in self._verdicts:
            record = await find_verdict(signed.log, fact_seq, player_id)
            self._verdicts[place] = await self.proved(signed, record)
        return self._verdicts[place]

    async def proved(self, signed: _SignedLog, record: Record | None) -> ProvedRecord:
        """Return a record with its proof, and what it says, if that may be shown."""
        if record is None or record.seq > signed.tree.size:
            raise ProofPending(self.folder)
        withheld = await why_withheld(self.fetch, self.caller, record, session_id=self.session_id)
        index = record.seq - 1
        return {
            "log": signed.name,
            "seq": record.seq,
            "leaf_hash": _text(signed.tree.leaf(index)),
            "proof": [_text(each) for each in signed.tree.prove_leaf(index)],
            "record": None if withheld else await self._shown(signed, record),
            "withheld": withheld,
        }

    async def _shown(self, signed: _SignedLog, record: Record) -> ShownRecord:
        log_id = (await signed.log.beginning()).log_id
        ((record_salt, chain_salt),) = salts_of(self.folder, log_id, signed.name, [record.seq])
        blanked, inside = split_chains(record.body)
        return {
            "body": blanked.decode(),
            "salt": _text(record_salt),
            "chains_hash": _text(chains_hash(chain_salt, record.chain, *inside)),
        }


def _signed_log(name: LogName, log: Log, folder: TransparencyFolder) -> _SignedLog:
    public = folder.current(name)
    note = public.checkpoint()
    if note is None:
        raise ProofPending(folder)
    return _SignedLog(log, name, note, TileTree(read_checkpoint(note).size, public.read_tile))


def salts_of(
    folder: TransparencyFolder, log_id: str, name: LogName, seqs: Iterable[int]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield what hides each record in its leaf, and what hides its chain values."""
    key = read_salt_key(folder.path)
    for seq in seqs:
        yield salt(key, log_id, name, seq, "record"), salt(key, log_id, name, seq, "chain")


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
