"""Whoever is checked may answer anything: a check finds it out, or says that it could not go on."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from services.cli.checking.arithmetic import centi
from services.cli.checking.asking import NOTE_BYTES_MAX, AskedService
from services.cli.checking.found import TOLD_CHARACTERS_MAX, DoesNotHold
from services.cli.checking.heads import CheckedHead, Trust, read_head
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import session_id
from tests.cli.checking.hand_made import (
    ADA,
    BO,
    CY,
    HOST,
    URL,
    HandKey,
    HandMade,
    HandMadeLog,
    told,
)

Answer = Callable[[httpx.Request], httpx.Response]


def two_faced() -> tuple[HandMade, HandMade]:
    """Return a service, and the same one with another last session, signed by nobody."""
    first = HandMade()
    first.play(2)
    second = HandMade(
        HandMadeLog("facts", first.facts.key), HandMadeLog("verdicts", first.verdicts.key)
    )
    second.play(2)
    first.play(1)
    other = PlayedRound(4, 1, (ADA, BO, CY), (0, 1, 2), None)
    second.tell(SessionSubmitted(session_id(1, 7), "club", "2026-01-31", "social", (other,), ()))
    return first, second


def answered_by(service: HandMade, answer: Answer) -> None:
    """Have another answer to everything that a service is asked."""
    service.answer = answer  # type: ignore[assignment,method-assign]


def test_an_auditor_is_not_shown_other_tiles_than_those_that_were_signed(tmp_path: Path) -> None:
    first, second = two_faced()
    asked = Counter[str]()
    honest = first.answer

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.path
        asked[path] += 1
        is_lie = path.startswith("/v1/") or ("/tile/" in path and asked[path] > 1)
        return second.answer(request) if is_lie else honest(request)

    answered_by(first, answer)
    found = told(first.check(tmp_path, as_auditor=True))
    assert "record 4 of the facts: " in found
    assert "record 4 of the verdicts: " in found


@pytest.mark.parametrize("as_auditor", [False, True])
def test_no_tile_is_asked_for_twice(tmp_path: Path, *, as_auditor: bool) -> None:
    service = HandMade()
    service.play(3)
    assert service.check(tmp_path, as_auditor=as_auditor).holds
    tiles = Counter(each for each in service.asked if "/tile/" in each)
    assert set(tiles.values()) == {1}


def endless(piece: bytes, asked: list[int]) -> Iterator[bytes]:
    while True:
        asked[0] += len(piece)
        yield piece


@pytest.mark.parametrize(
    "path", ["/log/keys", "/log/facts/checkpoint", "/log/facts/tile/0/000.p/3"]
)
def test_an_answer_without_end_is_given_up(tmp_path: Path, path: str) -> None:
    service, sent = HandMade(), [0]
    service.play(2)
    honest = service.answer

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == path:
            return httpx.Response(200, content=endless(b"x" * 4096, sent))
        return honest(request)

    answered_by(service, answer)
    checked = service.check(tmp_path)
    assert checked.not_finished == f"{URL}{path} sends more than {NOTE_BYTES_MAX} bytes."
    assert sent[0] <= NOTE_BYTES_MAX + 4096


def test_a_short_answer_that_unpacks_to_a_long_one_is_given_up(tmp_path: Path) -> None:
    service = HandMade()
    content = gzip.compress(bytes(NOTE_BYTES_MAX * 4))
    headers = {"Content-Encoding": "gzip"}
    answered_by(service, lambda _: httpx.Response(200, content=iter([content]), headers=headers))
    checked = service.check(tmp_path)
    assert checked.not_finished is not None
    assert "sends more than" in checked.not_finished


def test_what_is_told_of_a_long_answer_is_short(tmp_path: Path) -> None:
    service = HandMade()
    service.instead["/log/keys"] = b"log " + b"k" * 100_000 + b"\n"
    (wrong,) = service.check(tmp_path).findings.wrong
    assert len(wrong.what) <= TOLD_CHARACTERS_MAX
    assert wrong.what.endswith("...")

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(500, json={"detail": "d" * 100_000})

    answered_by(service, answer)
    checked = service.check(tmp_path)
    assert checked.not_finished is not None
    assert len(checked.not_finished) <= TOLD_CHARACTERS_MAX


@pytest.mark.parametrize("log", ["facts", "verdicts"])
@pytest.mark.parametrize(
    "body", [b"nothing", b'{"part":1}', b'{"data":{"fact_seq":2,"part":9,"parts":99}}', b"[]"]
)
def test_an_auditor_is_told_of_a_record_that_is_none(tmp_path: Path, log: str, body: bytes) -> None:
    service = HandMade()
    service.play(2)
    if log == "facts":
        service.facts.append(body)
        # A fact that says nothing is answered by a refusal; this one is not answered at all.
        (note,) = service.check(tmp_path, as_auditor=True).findings.notes
        assert note.startswith("Facts at the end that have no whole verdict yet: 1.")
        return
    service.verdicts.append(body)
    assert told(service.check(tmp_path, as_auditor=True)).startswith("ratings: ")


@pytest.mark.parametrize("part", [(1, 1), (1, 2), (2, 2), (3, 9)])
def test_verdicts_behind_the_last_fact_are_not_passed_over(
    tmp_path: Path, part: tuple[int, int]
) -> None:
    service = HandMade()
    service.play(3)
    forged = service.verdicts.bodies[3].replace(b'"rating_change":[', b'"rating_change":[9')
    later = forged.replace(b'"fact_seq":4', b'"fact_seq":99').replace(b'"id":"4.', b'"id":"99.')
    later = later.replace(b'"part":1,"parts":1', b'"part":%d,"parts":%d' % part)
    service.verdicts.append(later)
    service.verdicts.append(forged)
    assert told(service.check(tmp_path, as_auditor=True)).startswith("ratings: ")


def test_logs_of_another_name_than_the_address_are_told(tmp_path: Path) -> None:
    other = "other.example"
    service = HandMade(
        HandMadeLog("facts", HandKey(f"{other}/facts", 1)),
        HandMadeLog("verdicts", HandKey(f"{other}/verdicts", 1)),
    )
    found = told(service.check(tmp_path))
    assert found == (
        f"/log/keys: These are the logs of {other}, and {HOST} was asked. If they are the right "
        "ones, ask there, or give their keys with --log-key."
    )
    keys = [service.facts.key.verifier, service.verdicts.key.verifier]
    assert service.check(tmp_path, log_keys=keys).holds


def test_a_key_of_the_wrong_kind_is_told(tmp_path: Path) -> None:
    service = HandMade(
        HandMadeLog("facts", HandKey(f"{HOST}/facts", 4)),
        HandMadeLog("verdicts", HandKey(f"{HOST}/verdicts", 1)),
    )
    assert "of the wrong kind" in told(service.check(tmp_path))


def asking(service: HandMade, pauses: list[float]) -> AskedService:
    client = httpx.Client(base_url=URL, transport=httpx.MockTransport(service.answer))
    return AskedService(client, None, pauses.append)


def cosigned_later(service: HandMade, witness: HandKey, tries: int) -> None:
    """Have a witness cosign the facts once the checkpoint was asked for so many times."""
    honest, asked = service.answer, [0]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/log/facts/checkpoint":
            asked[0] += 1
            if asked[0] > tries:
                service.facts.witnesses = [witness]
        return honest(request)

    answered_by(service, answer)


def test_a_witness_may_cosign_a_moment_later(tmp_path: Path) -> None:
    service, witness = HandMade(), HandKey("witness.example", 4)
    service.verdicts.witnesses.append(witness)
    cosigned_later(service, witness, 2)
    assert service.check(tmp_path, witnesses=[witness.verifier]).holds
    assert service.pauses == [2.0, 2.0]


def test_an_answer_may_stand_on_a_head_that_is_cosigned_a_moment_later() -> None:
    service, witness, pauses = HandMade(), HandKey("witness.example", 4), list[float]()
    service.facts.witnesses = [witness]
    trust = Trust(service.facts.key.verifier, [], [witness.verifier])
    head = read_head(asking(service, pauses), "facts", 1, trust)
    service.facts.witnesses = []
    service.play(2)
    note = service.facts.signed(service.facts.head)
    cosigned_later(service, witness, 1)
    assert accepted(head, service, pauses, note) == 3
    assert head.checkpoint.size == 3
    assert [each.key.name for each in head.cosigned] == ["witness.example"]
    assert pauses == [2.0]
    # What is a part of it needs no cosignature of its own.
    assert accepted(head, service, pauses, note) == 3


def accepted(head: CheckedHead, service: HandMade, pauses: list[float], note: str) -> int:
    head.asking = asking(service, pauses)
    return head.accept(note, "an answer").size


def test_the_log_itself_is_none_of_its_witnesses(tmp_path: Path) -> None:
    service, witness = HandMade(), HandKey("witness.example", 4)
    service.named_witnesses = service.facts.witnesses = [witness]
    trust = Trust(service.facts.key.verifier, [witness.verifier])
    head = read_head(asking(service, []), "facts", 1, trust)
    service.play(1)
    head.asking = asking(service, [])
    head.accept(service.facts.signed(service.facts.head), "an answer")
    assert [each.key.name for each in head.cosigned] == ["witness.example"]


@pytest.mark.parametrize("points", [1500.0, 1500.29, -0.01, 99_999.99, 0.0, 1234.57])
def test_points_have_two_decimals(points: float) -> None:
    assert centi(points) == int(f"{points:.2f}".replace(".", ""))
    for digit in (3, 4, 5):
        with pytest.raises(DoesNotHold, match="more than two decimals"):
            centi(points + 10**-digit)
