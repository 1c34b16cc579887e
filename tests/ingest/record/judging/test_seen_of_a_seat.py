"""After the operator's correction a source sees what it may of each seat, whatever it asks."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.ingest.changes.asking import ask, caught_up, correct, look, player_ids, void
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer

# Each sits with Cy, who is the source's own, in the session that the operator put together. Who is
# named by the source itself is in another session of its own.
NAMED = {
    "public": "ada",
    "private": "PRIVATE:hilda@example.com",
    "anonymous": "ANON:Lucky",
    "merged": "ada",
    "erased": "ada",
}
SECRET = {"private", "anonymous", "erased", "merged"}


@dataclass
class Night:
    """The session that the operator corrected, with somebody at the table."""

    service: RunningService
    own: str
    operator: str
    kind: str
    is_named: bool
    old: str
    new: str
    player_id: str
    corrected: httpx.Response

    @property
    def is_seen(self) -> bool:
        return self.is_named or self.kind not in SECRET

    def tells(self, answer: httpx.Response) -> bool:
        """Tell whether an answer has the id anywhere, headers and all."""
        return self.player_id in answer.text + json.dumps(dict(answer.headers))


async def a_night(service: RunningService, kind: str, *, is_named: bool) -> Night:
    own, other = await service.source_key(), await service.source_key("b-club")
    operator = await service.operator_key()
    who = NAMED[kind]
    first = await service.submit(a_session(a_round(cy=3, di=1)), own)
    apart = [a_round({"ada": 5, "gus": 1}), a_round({"PRIVATE:hilda@example.com": 1, "gus": 1})]
    elsewhere = await service.submit(a_session(*apart, on="2026-01-01"), other)
    assert elsewhere.status_code == 201
    if is_named:
        mine = await service.submit(a_session(a_round({who: 2, "eve": 1}), on="2026-01-02"), own)
        assert mine.status_code == 201
    ids = await player_ids(service)
    if kind == "merged":
        # Ada is read as Hilda, who is private.
        path = f"/v1/admin/players/{ids['ada']}/merge"
        assert (await ask(service, path, {"into": ids["hilda"]}, operator)).status_code == 201
    old = first.json()["session_id"]
    corrected = await correct(service, old, a_session(a_round({"cy": 3, who: 1})), operator)
    assert corrected.status_code == 201, corrected.text
    player_id = corrected.json()["results"][1]["player_id"]
    if kind == "erased":
        path = f"/v1/admin/players/{player_id}/personal-data"
        gone = await service.client.delete(path, headers=bearer(operator))
        assert gone.status_code < 300, gone.text
    new = corrected.json()["session_id"]
    await caught_up(service)
    return Night(service, own, operator, kind, is_named, old, new, player_id, corrected)


KINDS = pytest.mark.parametrize(
    ("kind", "is_named"), [(kind, named) for kind in NAMED for named in (True, False)]
)


@KINDS
async def test_a_source_sees_of_a_seat_what_it_may(
    service: RunningService, kind: str, is_named: bool
) -> None:
    night = await a_night(service, kind, is_named=is_named)
    shown = await look(service, night.new, night.own)
    (cy, other) = shown["rounds"][0]["results"]
    assert (cy["player"], cy["rating_before"]) == ("cy@example.com", 1500)
    assert other["mahjongs"] == 1
    hidden = {name for name, value in other.items() if value is None} - {"points", "mahjic_id"}
    numbers = other.keys() - {"mahjongs", "points", "mahjic_id", "player"}
    assert hidden - {"player"} == (set() if night.is_seen else numbers)
    said = {"anonymous": "ANON:Lucky", "private": "PRIVATE:hilda@example.com"}
    text = said.get(kind, "ada@example.com")
    assert other["player"] == (text if is_named and kind != "erased" else None)
    results = {each["player_id"] for each in shown["results"]}
    assert (night.player_id in results) is night.is_seen
    for session in (night.old, night.new):
        answer = await service.client.get(f"/v1/sessions/{session}", headers=bearer(night.own))
        assert night.tells(answer) is night.is_seen, answer.text
    # The operator and auditors see everybody, and call nobody by an address.
    for key in (night.operator, await service.auditor_key()):
        told = await look(service, night.new, key)
        assert told["rounds"][0]["results"][1]["player_id"] == night.player_id
        assert {each["player"] for each in told["results"]} == {None}
    for key in (await service.source_key("b-club"),):
        answer = await service.client.get(f"/v1/sessions/{night.new}", headers=bearer(key))
        assert answer.status_code == 404


@KINDS
async def test_a_sheet_calls_a_seat_what_its_reader_may_know(
    service: RunningService, kind: str, is_named: bool
) -> None:
    night = await a_night(service, kind, is_named=is_named)
    path = f"/v1/sessions/{night.new}/sheet.csv"
    answer = await service.client.get(path, headers=bearer(night.own))
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    (_, other) = [row[0] for row in rows if len(row) > 1 and row[1].isdigit()]
    said = {"anonymous": "ANON:Lucky", "private": "PRIVATE:hilda@example.com"}
    text = "(erased)" if kind == "erased" else "(not shown)"
    if is_named and kind != "erased":
        text = said.get(kind, "ada@example.com")
    assert other == text


@KINDS
async def test_what_a_source_does_to_such_a_session_tells_no_more(
    service: RunningService, kind: str, is_named: bool
) -> None:
    night = await a_night(service, kind, is_named=is_named)
    assert night.tells(night.corrected)
    voided = await void(service, night.new, night.own, idempotency_key="v")
    assert voided.status_code == 201
    assert night.tells(voided) is night.is_seen
    await caught_up(service)
    answers = [
        await void(service, night.new, night.own),
        await void(service, night.new, night.own, idempotency_key="v"),
        await service.client.get(f"/v1/sessions/{night.new}", headers=bearer(night.own)),
    ]
    assert {night.tells(each) for each in answers} == {night.is_seen}


@KINDS
async def test_a_source_that_corrects_such_a_session_is_told_no_more(
    service: RunningService, kind: str, is_named: bool
) -> None:
    night = await a_night(service, kind, is_named=is_named)
    # The source names Flo in the other's place.
    again = await correct(service, night.new, a_session(a_round(cy=3, flo=1)), night.own)
    assert again.status_code == 201
    assert again.json()["results"][1]["player"] == "flo@example.com"
    # Old and new together: who sat in the old one has moved.
    assert night.tells(again) is night.is_seen


@KINDS
async def test_who_was_named_by_the_operator_is_not_guessed_by_sending_it_again(
    service: RunningService, kind: str, is_named: bool
) -> None:
    night = await a_night(service, kind, is_named=is_named)
    guess = a_session(a_round({"cy": 3, NAMED[kind]: 1}))
    wrong = a_session(a_round({"cy": 3, "nobody": 1}))
    batch = json.dumps(guess) + "\n"
    answers: list[httpx.Response] = [
        await correct(service, night.old, guess, night.own),
        await correct(service, night.old, wrong, night.own),
    ]
    first, second = ([each.status_code, _code(each)] for each in answers)
    if is_named and kind != "erased":
        assert first == [200, None]
        assert second == [409, "already_corrected"]
        return
    # A right guess is told as a wrong one is.
    assert first == second == [409, "already_corrected"]
    sent = await service.submit(guess, night.own)
    lines = await service.client.post(
        "/v1/sessions/batch",
        content=batch,
        headers={**bearer(night.own), "Content-Type": "application/x-ndjson"},
    )
    if kind == "erased":
        # Somebody of that address who comes back is a new player.
        assert sent.status_code == 201
        return
    assert _code(sent) == "duplicate_session"
    assert sent.json()["rounds"] == [
        {"pointer": "/rounds/0", "session_id": None, "held_by": "another source"}
    ]
    assert not night.tells(sent)
    assert night.new not in sent.text + lines.text
    assert not night.tells(lines)


def _code(answer: httpx.Response) -> str | None:
    body: dict[str, Any] = answer.json()
    return body.get("code")
