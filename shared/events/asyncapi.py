"""Describes both logs as Kafka topics in AsyncAPI 3.0, so that other systems can follow them.

FastStream writes such documents too, but with one message a topic, and without headers, examples
and topic settings, so this one is put together here.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.events.facts import FactEvent
from shared.events.schemas import CHAIN, FACTS, VERDICTS, Schema, fact_schema, verdict_schema
from shared.events.verdicts import VerdictEvent

CONTENT_TYPE: Final = "application/cloudevents+json; charset=utf-8"
KAFKA_BINDING_VERSION: Final = "0.5.0"

ABOUT: Final = """\
Mahjic rates American Mahjong. What it knows stands on two logs, forever: the facts (accepted
claims) and the verdicts (what the rater concluded from each). With Kafka they are two topics of one
partition each, which anyone who may read the cluster can follow. The topics are called
`PREFIX.facts` and `PREFIX.verdicts`; the prefix is `mahjic` unless MAHJIC_KAFKA_PREFIX says
otherwise.

Every fact gets at least one verdict, so most followers need the verdicts alone.

**How to follow a log.** The value of a record is one CloudEvents object in JSON. Its headers `seq`
and `chain` prove that nothing is missing and nothing was changed:

1. Read partition 0 from its first offset, the verdicts with `isolation.level=read_committed`: what
   an aborted transaction wrote never happened.
2. `seq` counts 1, 2, 3 ... without gaps. `chain` is SHA-256 over the chain before it (32 bytes) and
   the bytes of the value. The chain before the first record is SHA-256 of the text
   `/logs/LOG_ID/facts` or `/logs/LOG_ID/verdicts`, which is the `source` of every record.
3. Keep the `seq` and `chain` of the last record that you took in, in the same transaction as what
   you made of it. Offsets prove nothing: they have holes.
4. Drop a record whose `seq` is not beyond yours: facts are copied to their topic at least once, so
   some come twice. One with your very `seq` must have your `chain` too.
5. Stop for good when a `seq` is left out, or when a chain does not fit: the log is not the one that
   you have read. Never skip such a record.
6. Ignore fields that you do not know. Stop at a `type` that you do not know: an old program must
   not skip a new event.

Ratings, changes and points are whole numbers, in hundredths. No record holds an address, a name, a
nickname or free text; people are ids, and who they are is not on the logs.
"""

FACT_HEADERS: Final[Schema] = {
    "type": "object",
    "required": ["seq", "chain", "content-type"],
    "properties": {
        "seq": {
            "type": "string",
            "pattern": "^[1-9][0-9]*$",
            "description": "The number of the record on its log, in ASCII digits.",
        },
        "chain": {
            **CHAIN,
            "description": "SHA-256 over the chain before it and the value, in hexadecimal.",
        },
        "content-type": {"const": CONTENT_TYPE, "description": "What the value is."},
    },
}
ANSWERED: Final[Schema] = {
    "type": "string",
    "pattern": "^[1-9][0-9]*$",
    "description": "On the last verdict of a transaction: all facts up to this one are answered.",
}
VERDICT_HEADERS: Final[Schema] = {
    **FACT_HEADERS,
    "properties": {**FACT_HEADERS["properties"], "answered": ANSWERED},
}


def describe_logs(version: str, examples: Mapping[str, Sequence[Mapping[str, Any]]]) -> Schema:
    """Return the document; `examples` has whole records of each type."""
    facts = {
        each.TYPE: _message(each, "factHeaders", fact_schema(each), examples[each.TYPE])
        for each in FACTS
    }
    verdicts = {
        each.TYPE: _message(each, "verdictHeaders", verdict_schema(each), examples[each.TYPE])
        for each in VERDICTS
    }
    return {
        "asyncapi": "3.0.0",
        "id": "urn:mahjic:logs",
        "info": {
            "title": "The logs of Mahjic",
            "version": version,
            "description": ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": CONTENT_TYPE,
        "servers": {
            "cluster": {
                "host": "kafka.example.org:9092",
                "protocol": "kafka",
                "description": "The operator's cluster, as MAHJIC_KAFKA_SERVERS names it.",
            }
        },
        "channels": {
            "facts": _channel("facts", "Accepted claims, in the order accepted.", facts),
            "verdicts": _channel("verdicts", "What the rater concluded from each fact.", verdicts),
        },
        "operations": {
            "copyFacts": _operation("send", "facts", COPY),
            "rateFacts": _operation("receive", "facts", RATE),
            "writeVerdicts": _operation("send", "verdicts", WRITE),
            "followVerdicts": _operation("receive", "verdicts", FOLLOW),
        },
        "components": {
            "messages": facts | verdicts,
            "schemas": {"factHeaders": FACT_HEADERS, "verdictHeaders": VERDICT_HEADERS},
        },
    }


COPY: Final = "`mahjic relay` copies each fact from PostgreSQL, in order and at least once."
RATE: Final = "`mahjic rater` reads the facts and answers each."
WRITE: Final = "`mahjic rater` writes all verdicts on a batch of facts in one transaction."
FOLLOW: Final = (
    "`mahjic projections` builds its views, and `mahjic ingest` answers with the ratings, by them."
)


def _message(
    event: type[FactEvent] | type[VerdictEvent],
    headers: str,
    payload: Schema,
    examples: Sequence[Mapping[str, Any]],
) -> Schema:
    summary = inspect.getdoc(event)
    assert summary is not None
    return {
        "name": event.TYPE,
        "title": event.__name__,
        "summary": " ".join(summary.split()),
        "contentType": CONTENT_TYPE,
        "headers": {"$ref": f"#/components/schemas/{headers}"},
        "payload": payload,
        "examples": [{"name": event.TYPE.split(".")[0], "payload": each} for each in examples],
    }


def _channel(log: str, description: str, messages: Mapping[str, Schema]) -> Schema:
    return {
        "address": f"mahjic.{log}",
        "description": description,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
        "bindings": {
            "kafka": {
                "topic": f"mahjic.{log}",
                "partitions": 1,
                "topicConfiguration": {"cleanup.policy": ["delete"], "retention.ms": -1},
                "bindingVersion": KAFKA_BINDING_VERSION,
            }
        },
    }


def _operation(action: str, log: str, summary: str) -> Schema:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{log}"},
        "summary": summary,
    }
