"""Requests about the past that no honest client sends are refused, and are nobody's trouble."""

import pytest

from shared.events.facts import SessionsVoided
from tests.ingest.changes.asking import ask, caught_up, facts_of, look, played, void
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService

NO_SESSION_IDS = (
    "%00",
    "ses_%00",
    "%FF",
    "%ED%A0%80",
    "x",
    "ses_01hzx3y5zq8w6v4t2r0pnmkjhg",
    "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJH%C4%B0",
    "..",
    "%2e%2e",
)


@pytest.mark.parametrize("session_id", NO_SESSION_IDS)
async def test_what_is_no_session_id_is_a_session_that_is_not_there(
    service: RunningService, session_id: str
) -> None:
    claim = a_session(a_round(ada=3, bo=1))
    for key in (await service.source_key(), await service.operator_key()):
        for what, body in (("void", {"reason": "other"}), ("corrections", claim)):
            answer = await ask(service, f"/v1/sessions/{session_id}/{what}", body, key)
            assert answer.status_code in {404, 405}, (what, answer.text)
    assert await service.pool.fetchval("SELECT fact_seq FROM mahjic.head") == 1


@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f"]
)
async def test_a_note_commands_no_terminal_and_turns_no_writing_around(
    service: RunningService, character: str
) -> None:
    key = await service.source_key()
    session_id = await played(service, key, ada=3, bo=1)
    answer = await void(service, session_id, key, note=f"Bo{character}was at home.")
    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json()["errors"]] == ["/note"]
    assert await facts_of(service, SessionsVoided) == []


async def test_a_note_may_have_lines_and_be_in_any_writing(service: RunningService) -> None:
    key = await service.source_key()
    session_id = await played(service, key, ada=3, bo=1)
    note = "\u0628\u0648 was\tnot there.\r\nSee the \U0001f469\u200d\U0001f4bb\u2026"
    assert (await void(service, session_id, key, note=note)).status_code == 201
    await caught_up(service)
    assert (await look(service, session_id, key))["ended"]["note"] == note


async def test_an_operator_who_names_the_wrong_source_is_told_whose_the_session_is(
    service: RunningService,
) -> None:
    session_id = await played(service, await service.source_key(), ada=3, bo=1)
    claim = a_session(a_round(ada=1, bo=3), source_id="b-club")
    path = f"/v1/sessions/{session_id}/corrections"
    answer = await ask(service, path, claim, await service.operator_key())
    assert answer.status_code == 422
    (mistake,) = answer.json()["errors"]
    assert (mistake["pointer"], mistake["code"]) == ("/source_id", "source_mismatch")
    assert mistake["message"].startswith("Your key belongs to a-club.")
