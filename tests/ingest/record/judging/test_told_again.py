"""A session that is sent again says how it stands: that it counts since long ago, or not at all."""

import re
from typing import Any

import httpx
import pytest

from services.ingest.sheets.api import PATH as SHEETS
from tests.ingest.batches.sending import answers, body_of
from tests.ingest.changes.asking import correct, void
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, bearer

X, Y = (a_session(a_round(ada=won, bo=4 - won), on="2026-01-30") for won in (3, 1))
SHEET = b"""Date,2026-01-30
Game Type,Social
ROUND 1 | Games Played: 4 | Wall Games: 0
Player,Games Won
ada@example.com,3
bo@example.com,1
"""
DAY = r"20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC"


@pytest.fixture
async def key(service: RunningService) -> str:
    return await service.source_key()


async def sent(service: RunningService, claim: Claim, key: str, **headers: str) -> dict[str, Any]:
    answer = await service.submit(claim, key, **headers)
    assert answer.status_code in {200, 201}
    body: dict[str, Any] = answer.json()
    return body


async def corrected(service: RunningService, old: str, claim: Claim, key: str) -> str:
    answer = await correct(service, old, {**claim, "reason": "wrong_result"}, key)
    assert answer.status_code == 201
    return str(answer.json()["session_id"])


def only_warning(body: dict[str, Any]) -> tuple[str, str]:
    (warning,) = body["warnings"]
    assert warning["pointer"] == ""
    return warning["code"], warning["message"]


async def by_every_door(service: RunningService, key: str) -> list[dict[str, Any]]:
    """Send X once more, through each door that takes a session."""
    alone = await sent(service, X, key)
    under_key = await sent(service, X, key, idempotency_key="of X")
    (line,) = await answers(service, body_of(X), key)
    sheet: httpx.Response = await service.client.post(
        SHEETS, content=SHEET, headers={**bearer(key), "Content-Type": "text/csv"}
    )
    assert sheet.status_code == 200, sheet.text
    return [alone, under_key, line["session"], sheet.json()]


async def test_what_is_on_record_says_since_when(service: RunningService, key: str) -> None:
    first = await sent(service, X, key, idempotency_key="of X")
    assert (first["warnings"], first["counts"]) == ([], True)
    for again in await by_every_door(service, key):
        code, message = only_warning(again)
        assert (again["session_id"], again["counts"]) == (first["session_id"], True)
        assert code == "already_recorded"
        since = f"{first['session_id']} is on record since {DAY}; nothing new was counted\\."
        assert re.fullmatch(since, message)
        assert again["seq"] == first["seq"]


async def test_a_voided_session_says_so_and_how_to_bring_it_back(
    service: RunningService, key: str
) -> None:
    first = (await sent(service, X, key, idempotency_key="of X"))["session_id"]
    await void(service, first, key, reason="not_played")
    for again in await by_every_door(service, key):
        assert (again["status"], again["counts"]) == ("voided", False)
        code, message = only_warning(again)
        assert code == "session_voided"
        said = rf"{first} was voided on {DAY} \(not_played\); nothing was counted\. (.*)"
        way = re.fullmatch(said, message)
        assert way is not None
        assert way[1] == (
            f'To bring it back, send it again with "allow_duplicate": true, or correct {first}.'
        )
    # It is as it says: both ways bring it back, and then it is said that it counts.
    back = await sent(service, {**X, "allow_duplicate": True}, key)
    assert (back["counts"], back["warnings"]) == (True, [])
    alone = await sent(service, X, key)
    assert only_warning(alone)[0] == "already_recorded"
    assert alone["session_id"] == back["session_id"]
    under_key = await sent(service, X, key, idempotency_key="of X")
    assert under_key["session_id"] == first
    assert only_warning(under_key)[1].endswith(
        f"{back['session_id']} has the same content, and counts."
    )


async def test_a_voided_session_that_is_corrected_counts_again(
    service: RunningService, key: str
) -> None:
    first = (await sent(service, X, key))["session_id"]
    await void(service, first, key)
    assert only_warning(await sent(service, X, key))[0] == "session_voided"
    newest = await corrected(service, first, Y, key)
    again = await sent(service, X, key)
    assert (again["status"], again["counts"]) == ("corrected", False)
    code, message = only_warning(again)
    assert code == "session_corrected"
    assert f"{newest} counts instead." in message


async def test_a_corrected_session_names_the_newest_that_counts(
    service: RunningService, key: str
) -> None:
    first = (await sent(service, X, key, idempotency_key="of X"))["session_id"]
    newest = first
    for won in (0, 2, 4):
        newest = await corrected(service, newest, a_session(a_round(ada=won, bo=1)), key)
    for again in await by_every_door(service, key):
        assert (again["session_id"], again["status"]) == (first, "corrected")
        code, message = only_warning(again)
        assert code == "session_corrected"
        said = (
            rf"{first} was corrected on {DAY} \(wrong_result\); nothing was counted\. "
            rf"{newest} counts instead\. To change what counts, correct that one\."
        )
        assert re.fullmatch(said, message)
    await void(service, newest, key)
    for again in await by_every_door(service, key):
        code, message = only_warning(again)
        assert (code, again["counts"]) == ("session_corrected", False)
        assert f"{newest}, which replaced it, is voided too." in message
        assert message.endswith(f"or correct {newest}.")


async def test_what_was_corrected_back_says_which_session_counts(
    service: RunningService, key: str
) -> None:
    """Case 205: X, corrected to Y and back to X."""
    first = (await sent(service, X, key, idempotency_key="of X"))["session_id"]
    second = await corrected(service, first, Y, key)
    third = await corrected(service, second, X, key)
    alone = await sent(service, X, key)
    assert (alone["session_id"], only_warning(alone)[0]) == (third, "already_recorded")
    under_key = await sent(service, X, key, idempotency_key="of X")
    assert (under_key["session_id"], under_key["status"]) == (first, "corrected")
    assert f"{third} counts instead." in only_warning(under_key)[1]
    other = await sent(service, Y, key)
    assert (other["session_id"], other["status"]) == (second, "corrected")
    assert f"{third} counts instead." in only_warning(other)[1]


async def test_a_voided_duplicate_that_was_meant_is_told_a_way_that_works(
    service: RunningService, key: str
) -> None:
    meant = {**X, "allow_duplicate": True}
    first = (await sent(service, meant, key))["session_id"]
    await void(service, first, key)
    code, message = only_warning(await sent(service, meant, key))
    assert code == "session_voided"
    assert "send it again with a new Idempotency-Key" in message
    assert (await sent(service, meant, key, idempotency_key="its own"))["counts"] is True


async def test_the_line_of_a_batch_repeats_one_before_it(service: RunningService, key: str) -> None:
    first, again = await answers(service, body_of(X, X), key)
    assert first["session"]["warnings"] == []
    assert only_warning(again["session"])[0] == "already_recorded"
