"""The routes that give auditors the salts of the leaves, to check every record against its own."""

import base64
from collections.abc import Iterator
from typing import Any, Final

import orjson
from starlette.responses import Response, StreamingResponse

from services.projections.log.queries import find_stretch
from services.projections.log.routes import NDJSON, AuditCaller, FirstSeq, Limit
from services.transparency.folder import TransparencyFolder
from services.transparency.proving.proofs import Prover, salts_of
from services.transparency.proving.routes import Proofs
from shared.http.responses import problem_responses
from shared.http.routes import Route
from shared.log.port import Log
from shared.tlog.leaves import LogName

_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": (
            'One line for each record: {"seq": ..., "salt": ..., "chain_salt": ...}. Both salts '
            "are 32 bytes in base64."
        ),
        "content": {NDJSON: {"schema": {"type": "string"}}},
    },
    **problem_responses(401, 403, 404, 422, 503),
}


async def list_fact_salts(
    _caller: AuditCaller, prover: Proofs, first_seq: FirstSeq = 1, limit: Limit = 1000
) -> Response:
    """Show what hides each fact in its leaf of the public log, and its chain values."""
    return await _answer(prover, prover.logs.facts, "facts", first_seq, limit)


async def list_verdict_salts(
    _caller: AuditCaller, prover: Proofs, first_seq: FirstSeq = 1, limit: Limit = 1000
) -> Response:
    """Show what hides each verdict in its leaf of the public log, and its chain values."""
    return await _answer(prover, prover.logs.verdicts, "verdicts", first_seq, limit)


async def _answer(prover: Prover, log: Log, name: LogName, first_seq: int, limit: int) -> Response:
    folder = prover.public.there()
    stretch = await find_stretch(log, first_seq, limit)
    seqs = range(0)
    if stretch.ends is not None:
        before, after = stretch.ends
        seqs = range(before.seq + 1, after.seq + 1)
    lines = _lines(folder, stretch.log_id, name, seqs)
    headers = {"Cache-Control": "no-store", "Mahjic-Log-Id": stretch.log_id}
    return StreamingResponse(lines, media_type=NDJSON, headers=headers)


def _lines(folder: TransparencyFolder, log_id: str, name: LogName, seqs: range) -> Iterator[bytes]:
    salts = salts_of(folder, log_id, name, seqs)
    for seq, (salt, chain_salt) in zip(seqs, salts, strict=True):
        line = {
            "seq": seq,
            "salt": base64.b64encode(salt).decode(),
            "chain_salt": base64.b64encode(chain_salt).decode(),
        }
        yield orjson.dumps(line) + b"\n"


SALT_ROUTES: Final = (
    Route(
        "GET",
        "/v1/log/facts/salts",
        list_fact_salts,
        "The salts of the facts",
        tag="audit",
        operation_id="list_fact_salts",
        responses=_RESPONSES,
    ),
    Route(
        "GET",
        "/v1/log/verdicts/salts",
        list_verdict_salts,
        "The salts of the verdicts",
        tag="audit",
        operation_id="list_verdict_salts",
        responses=_RESPONSES,
    ),
)
