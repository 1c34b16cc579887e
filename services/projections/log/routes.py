"""The routes that let auditors read both logs, to recompute every number and every chain."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

import orjson
from fastapi import Depends, Query
from starlette.responses import Response, StreamingResponse

from services.projections.log.queries import LogStretch, find_stretch, read_records
from shared.http.callers import Caller, require
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.log.port import Log

NDJSON: Final = "application/x-ndjson"
RECORDS_MAX: Final = 10_000
SEQ_MAX: Final = (1 << 62) - 1

_HEADERS: Final = {
    "Mahjic-Log-Id": "The id of the log.",
    "Mahjic-Chain-Before": (
        "Hex SHA-256 chain before the first line; missing beyond the end of the log."
    ),
    "Mahjic-Chain-After": "The chain after the last line: each is SHA-256 over the one before it "
    "and the bytes of the line.",
}
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": (
            "One record per line, byte for byte as on the log. A record that can't be a "
            'line of JSON is shown as {"seq": ..., "base64": ...}.'
        ),
        "content": {NDJSON: {"schema": {"type": "string"}}},
        "headers": {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS.items()
        },
    },
    **problem_responses(401, 403, 422, 503),
}

FirstSeq = Annotated[
    int, Query(alias="from", ge=1, le=SEQ_MAX, description="The first record, counting from 1.")
]
Limit = Annotated[
    int, Query(ge=1, le=RECORDS_MAX, description=("How many records to return at most."))
]
AuditCaller = Annotated[Caller, Depends(require("auditor", "operator"))]


@dataclass(frozen=True, slots=True)
class Logs:
    """Both logs, as auditors read them."""

    facts: Log
    verdicts: Log


BothLogs = Annotated[Logs, handed_in(Logs)]


async def get_facts(
    _caller: AuditCaller, logs: BothLogs, first_seq: FirstSeq = 1, limit: Limit = 1000
) -> Response:
    """Show facts as they are on the log: ids, codes and numbers, never who people are."""
    return await _answer(logs.facts, first_seq, limit)


async def get_verdicts(
    _caller: AuditCaller, logs: BothLogs, first_seq: FirstSeq = 1, limit: Limit = 1000
) -> Response:
    """Show verdicts as they are on the log. Each names the fact that it answers."""
    return await _answer(logs.verdicts, first_seq, limit)


async def _answer(log: Log, first_seq: int, limit: int) -> Response:
    stretch = await find_stretch(log, first_seq, limit)
    headers = {"Cache-Control": "no-store", "Mahjic-Log-Id": stretch.log_id}
    if stretch.ends is not None:
        before, after = stretch.ends
        headers["Mahjic-Chain-Before"] = before.chain.hex()
        headers["Mahjic-Chain-After"] = after.chain.hex()
    return StreamingResponse(_lines(log, stretch), media_type=NDJSON, headers=headers)


async def _lines(log: Log, stretch: LogStretch) -> AsyncIterator[bytes]:
    async for record in read_records(log, stretch):
        yield line_of(record.seq, record.body) + b"\n"


def line_of(seq: int, body: bytes) -> bytes:
    """Return a record as a line of NDJSON: its own bytes, or their base64 if they are not JSON."""
    if b"\n" not in body and b"\r" not in body:
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            pass
        else:
            return body
    return orjson.dumps({"seq": seq, "base64": base64.b64encode(body).decode()})


LOG_ROUTES: Final = (
    Route(
        "GET",
        "/v1/log/facts",
        get_facts,
        "The log of facts",
        tag="audit",
        operation_id="list_facts",
        responses=_RESPONSES,
    ),
    Route(
        "GET",
        "/v1/log/verdicts",
        get_verdicts,
        "The log of verdicts",
        tag="audit",
        operation_id="list_verdicts",
        responses=_RESPONSES,
    ),
)
