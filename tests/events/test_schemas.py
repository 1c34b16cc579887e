"""The published schemas say what the codec reads and writes, no more and no less."""

import copy
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from shared.errors import MahjicError
from shared.events.asyncapi import FACT_HEADERS, VERDICT_HEADERS
from shared.events.codec import decode_fact, decode_verdict, encode_fact, encode_verdict
from shared.events.facts import READ_FACT, FactEvent
from shared.events.schemas import FACTS as FACT_CLASSES
from shared.events.schemas import VERDICTS as VERDICT_CLASSES
from shared.events.schemas import fact_schema, verdict_schema
from shared.events.verdicts import READ_VERDICT, Answers, VerdictEvent
from shared.log.kafka.records import answered_header, headers_of
from shared.log.port import Record
from tests.events.document import described
from tests.events.golden import FACTS, LOG_ID
from tests.events.golden_verdicts import VERDICTS
from tests.events.samples import fact_events, texts, times, verdict_events

GOLDEN = {name: body for name, (_, body) in (FACTS | VERDICTS).items()}
Path = tuple[str | int, ...]

SCHEMAS = {each.TYPE: fact_schema(each) for each in FACT_CLASSES} | {
    each.TYPE: verdict_schema(each) for each in VERDICT_CLASSES
}
positive = st.integers(1, 2**63 - 1)
answers = st.builds(
    Answers,
    fact_seq=positive,
    fact_chain=st.binary(min_size=32, max_size=32),
    part=positive,
    parts=positive,
    formula=texts,
    engine=texts,
)


@functools.cache
def validator(event_type: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[event_type], format_checker=FormatChecker(["date"]))


def is_lawful(record: dict[str, Any]) -> bool:
    return bool(validator(record["type"]).is_valid(record))


def is_readable(record: dict[str, Any]) -> bool:
    decode: Callable[[bytes], object] = (
        decode_fact if record["type"] in READ_FACT else decode_verdict
    )
    try:
        decode(json.dumps(record).encode())
    except MahjicError:
        return False
    return True


def test_there_is_a_schema_for_every_type_that_is_read() -> None:
    assert [each.TYPE for each in FACT_CLASSES] == list(READ_FACT)
    assert [each.TYPE for each in VERDICT_CLASSES] == list(READ_VERDICT)
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_record_is_lawful(name: str) -> None:
    validator(json.loads(GOLDEN[name])["type"]).validate(json.loads(GOLDEN[name]))


@given(fact_events, positive, times)
def test_every_fact_that_is_written_is_lawful(event: FactEvent, seq: int, time: str) -> None:
    body = encode_fact(event, log_id=LOG_ID, seq=seq, time=time)
    validator(event.TYPE).validate(json.loads(body))


@given(verdict_events, answers, times, texts)
def test_every_verdict_that_is_written_is_lawful(
    event: VerdictEvent, answers: Answers, time: str, subject: str
) -> None:
    body = encode_verdict(event, answers, log_id=LOG_ID, time=time, subject=subject)
    validator(event.TYPE).validate(json.loads(body))


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the way to every field of a record, but not into what has no fixed fields."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, each in inner:
        yield (*path, name)
        if isinstance(each, dict | list) and (*path, name) not in FREE:
            yield from places(each, (*path, name))


# The parameters of a formula, and the data of a noted fact, which are as on the log of facts.
FREE: set[Path] = {("data", "parameters"), ("data", "data")}


def changed(body: bytes, path: Path, change: Callable[[Any, Any], None]) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(body)
    inner: Any = record
    for step in path[:-1]:
        inner = inner[step]
    change(inner, path[-1])
    return record


def take_out(inner: Any, name: Any) -> None:
    del inner[name]


def of_another_kind(inner: Any, name: Any) -> None:
    inner[name] = not inner[name] if isinstance(inner[name], bool) else [True]


MAY_BE_MISSING = {"points_centi", "proposal", "reseated"}


def test_a_record_with_a_field_missing_or_of_another_kind_is_not_lawful() -> None:
    tried = 0
    for body in GOLDEN.values():
        for path in places(json.loads(body)):
            if path == ("type",):  # It chooses the schema.
                continue
            assert not is_lawful(changed(body, path, of_another_kind)), path
            if isinstance(path[-1], str) and path[-1] not in MAY_BE_MISSING:
                assert not is_lawful(changed(body, path, take_out)), path
            tried += 1
    assert tried > 150


WRONG: list[Any] = [None, True, 7, -7, 0.5, "", "a word", "a\nline", "é", "x" * 201, [], {}, [7]]


@given(st.sampled_from(sorted(GOLDEN)), st.data())
def test_what_cannot_be_read_is_not_lawful(name: str, data: st.DataObject) -> None:
    """But for columns of unlike lengths, which a schema cannot compare; the words say it."""
    body = GOLDEN[name]
    path = data.draw(
        st.sampled_from([each for each in places(json.loads(body)) if each[0] != "type"])
    )
    wrong = data.draw(st.sampled_from(WRONG))

    def put(inner: Any, step: Any) -> None:
        inner[step] = copy.deepcopy(wrong)

    record = changed(body, path, put)
    if not is_readable(record) and not has_unlike_columns(record):
        assert not is_lawful(record), (path, wrong)


def has_unlike_columns(value: Any) -> bool:
    """Tell whether an object with a column of players has columns of other lengths."""
    if isinstance(value, list):
        return any(map(has_unlike_columns, value))
    if not isinstance(value, dict):
        return False
    columns = [each for name, each in value.items() if name not in NO_COLUMNS]
    lengths = {len(column) for column in columns if isinstance(column, list)}
    is_unlike = not {"players", "was"}.isdisjoint(value) and len(lengths) > 1
    return is_unlike or any(map(has_unlike_columns, value.values()))


NO_COLUMNS = {"rounds", "new_players", "reseated", "left", "joined"}


def test_a_date_that_no_calendar_has_is_not_lawful() -> None:
    record = json.loads(GOLDEN["session-submitted, social"])
    for wrong in ("2026-02-30", "20260203", "2026-2-3", "2026-W06-2"):
        record["data"]["session_date"] = wrong
        assert not is_readable(record)
        assert not is_lawful(record), wrong


def test_more_fields_are_lawful() -> None:
    for body in GOLDEN.values():
        record = json.loads(body)
        record["newer"] = record["data"]["newer"] = {"any": ["thing"]}
        assert is_lawful(record)


def test_the_document_names_every_message_where_it_is_sent() -> None:
    document = described()
    described_logs = (
        ("facts", READ_FACT, FACT_HEADERS),
        ("verdicts", READ_VERDICT, VERDICT_HEADERS),
    )
    for log, readers, headers in described_logs:
        channel = document["channels"][log]
        assert channel["address"] == f"mahjic.{log}"
        assert list(channel["messages"]) == list(readers)
        for reference in channel["messages"].values():
            message = pointed_at(document, reference["$ref"])
            assert pointed_at(document, message["headers"]["$ref"]) == headers
            assert message["payload"] == SCHEMAS[message["name"]]
    for operation in document["operations"].values():
        assert pointed_at(document, operation["channel"]["$ref"])


def pointed_at(document: Any, reference: str) -> Any:
    inner = document
    for step in reference.removeprefix("#/").split("/"):
        inner = inner[step]
    return inner


def test_the_headers_on_kafka_are_the_ones_described() -> None:
    own = headers_of(Record(17, bytes(range(32)), b"{}"))
    for schema, sent in ((FACT_HEADERS, own), (VERDICT_HEADERS, [*own, answered_header(4)])):
        check = Draft202012Validator(schema)
        headers = {name: value.decode() for name, value in sent}
        check.validate(headers)
        assert set(headers) == set(schema["properties"])
        for name in schema["required"]:
            assert not check.is_valid({each: headers[each] for each in headers if each != name})
        for name in headers:
            assert not check.is_valid({**headers, name: "é"})
