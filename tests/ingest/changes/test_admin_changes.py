"""What only the operator does to the past over HTTP: merges, their end, and formulas."""

from typing import Any

import httpx
import pytest

from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
)
from tests.conftest import Database
from tests.ingest.answers import player, problem
from tests.ingest.changes.asking import ask, caught_up, facts_of, played, player_ids, void
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer, running_service

ELO, SCALED = "mahjic-elo/1", "mahjic-elo/2-scaled"


async def merge(
    service: RunningService, player_id: str, into: str, key: str, **more: str
) -> httpx.Response:
    return await ask(service, f"/v1/admin/players/{player_id}/merge", {"into": into, **more}, key)


async def unmerge(service: RunningService, player_id: str, key: str) -> httpx.Response:
    return await ask(service, f"/v1/admin/players/{player_id}/unmerge", {}, key)


async def adopt(service: RunningService, name: str, since: str, key: str) -> httpx.Response:
    return await ask(service, "/v1/admin/formulas", {"formula": name, "since": since}, key)


def by_player(answer: httpx.Response) -> dict[str, Any]:
    """Return rating and games after the change of whoever it lists."""
    changes = answer.json()["effect"]["changes"]
    return {each["player_id"]: (each["rating_after"], each["games_after"]) for each in changes}


async def test_a_merge_and_its_end_answer_with_who_moved(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    await played(service, key, ada=3, bo=1)
    await played(service, key, twin=3, cy=1, on="2026-02-01")
    ids = await player_ids(service)
    answer = await merge(service, ids["twin"].lower(), ids["ada"], operator, note="One woman.")
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/players/{ids['ada']}"
    body = answer.json()
    assert (body["player_id"], body["into"], body["is_merged"]) == (ids["twin"], ids["ada"], True)
    # As Ada, 16 above Cy, the second round gives 32 * (1 - 0.523010) = 15.26.
    assert by_player(answer) == {
        ids["ada"]: (1531.26, 8),
        ids["twin"]: (1500, 0),
        ids["cy"]: (1484.74, 4),
    }
    again = await merge(service, ids["twin"], ids["ada"], operator)
    assert (again.status_code, again.json()) == (200, body)
    assert again.headers["Idempotency-Replayed"] == "true"

    undone = await unmerge(service, ids["twin"], operator)
    assert (undone.status_code, undone.json()["is_merged"]) == (201, False)
    assert by_player(undone) == {
        ids["ada"]: (1516, 4),
        ids["twin"]: (1516, 4),
        ids["cy"]: (1484, 4),
    }
    repeated = await unmerge(service, ids["twin"], operator)
    assert (repeated.status_code, repeated.json()) == (200, undone.json())
    assert await facts_of(service, PlayersMerged) == [PlayersMerged(ids["twin"], ids["ada"])]
    assert await facts_of(service, PlayersUnmerged) == [PlayersUnmerged(ids["twin"], ids["ada"])]
    notes = await service.pool.fetch("SELECT note FROM mahjic.notes")
    assert [row["note"] for row in notes] == ["One woman."]


async def test_who_met_is_not_merged_unless_that_is_voided(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    session = await played(service, key, ada=3, bo=1)
    ids = await player_ids(service)
    met = problem(await merge(service, ids["ada"], ids["bo"], operator), 409, "players_met")
    assert met["session_ids"] == [session]
    await void(service, session, key)
    assert (await merge(service, ids["ada"], ids["bo"], operator)).status_code == 201
    merged = problem(await merge(service, ids["bo"], ids["ada"], operator), 409, "player_merged")
    assert merged["survivor"] == ids["bo"]
    # The two addresses are one person now, and nobody sits twice at a table.
    answer = await service.submit(a_session(a_round(ada=3, bo=1), on="2026-02-02"), key)
    body = problem(answer, 422, "claim_refused")
    assert [each["code"] for each in body["errors"]] == ["player_twice"]


async def test_a_merge_asks_for_two_people_with_an_address(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    answer = await service.submit(a_session(a_round({"ada": 3, "ANON:Bo": 1})), key)
    ada, anon = (each["player_id"] for each in answer.json()["results"])
    for player_id, into in ((ada, anon), (anon, ada), (ada, ada)):
        problem(await merge(service, player_id, into, operator), 422, "not_mergeable")
    problem(await merge(service, ada, "MJ-00000000", operator), 404, "unknown_player")
    problem(await merge(service, "MJ-0000000X", ada, operator), 422, "mistyped_player_id")
    body = problem(await merge(service, ada, "MJ-0000000X", operator), 422, "claim_refused")
    assert [(each["pointer"], each["code"]) for each in body["errors"]] == [
        ("/into", "mistyped_player_id")
    ]
    problem(await unmerge(service, ada, operator), 409, "not_merged")
    problem(await merge(service, ada, anon, key), 403, "not_allowed")
    problem(await unmerge(service, ada, key), 403, "not_allowed")


async def test_a_formula_holds_from_now_on_or_from_the_beginning(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    await played(service, key, ada=2, bo=1, cy=0)
    ids = await player_ids(service)
    now = await adopt(service, SCALED, "now", operator)
    assert now.status_code == 201
    assert now.headers["Location"] == "/v1/formula"
    assert now.json() == {
        "formula": SCALED,
        "since": "now",
        "proposal": None,
        "fact_seq": 3,
        "seq": 3,
        "effect": {"fact_seq": 3, "players_moved": 0, "changes": [], "others_moved": 0},
    }
    # Two new players: half of K = 32 by either formula, for there is one opponent.
    later = await service.submit(a_session(a_round(di=3, eve=1)), key)
    assert player(later, "di@example.com")["rating_after"] == 1516
    anew = await adopt(service, SCALED, "beginning", operator)
    assert anew.status_code == 201
    # Two wins, one, none: +32, 0 and -32 by the sum, and half of that by the mean.
    assert by_player(anew) == {ids["ada"]: (1516, 3), ids["cy"]: (1484, 3)}
    again = await adopt(service, SCALED, "beginning", operator)
    assert (again.status_code, again.json()) == (200, anew.json())
    back = await adopt(service, ELO, "beginning", operator)
    assert by_player(back) == {ids["ada"]: (1532, 3), ids["cy"]: (1468, 3)}
    from_now = await facts_of(service, FormulaAdopted)
    anew_each_time = await facts_of(service, FormulaAdoptedFromBeginning)
    assert [fact.formula for fact in from_now] == [ELO, SCALED]
    assert [fact.formula for fact in anew_each_time] == [SCALED, ELO]


async def test_the_same_adoption_again_is_replayed_also_when_it_moved_nobody(
    database: Database,
) -> None:
    async with running_service(database) as service:
        operator = await service.operator_key()
        first = await adopt(service, SCALED, "now", operator)
        again = await adopt(service, SCALED, "now", operator)
        assert (again.status_code, again.json()) == (200, first.json())
    # Another process has not seen the verdict come, and finds it in the view.
    async with running_service(database) as service:
        later = await adopt(service, SCALED, "now", await service.operator_key())
        assert (later.status_code, later.json()) == (200, first.json())


async def test_an_adoption_names_its_proposal_in_the_fact_the_verdict_and_the_view(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    await played(service, key, ada=2, bo=1, cy=0)
    plain = await adopt(service, SCALED, "now", operator)
    named = {"formula": SCALED, "since": "now", "proposal": "0007"}
    first = await ask(service, "/v1/admin/formulas", named, operator)
    assert (first.status_code, first.json()["proposal"]) == (201, "0007")
    assert first.json()["fact_seq"] > plain.json()["fact_seq"]
    # The same once more, and without its proposal, is the same adoption.
    for body in (named, {"formula": SCALED, "since": "now"}):
        again = await ask(service, "/v1/admin/formulas", body, operator)
        assert (again.status_code, again.json()) == (200, first.json())
    beginning = {**named, "since": "beginning", "proposal": "0008"}
    anew = await ask(service, "/v1/admin/formulas", beginning, operator)
    assert anew.status_code == 201
    from_now = await facts_of(service, FormulaAdopted)
    assert [fact.proposal for fact in from_now] == [None, None, "0007"]
    (from_beginning,) = await facts_of(service, FormulaAdoptedFromBeginning)
    assert from_beginning.proposal == "0008"
    await caught_up(service)
    formula = await service.client.get("/v1/formula")
    assert (formula.json()["name"], formula.json()["proposal"]) == (SCALED, "0008")
    shown = (await service.client.get("/governance")).text
    assert shown.index("<td>0008</td>") < shown.index("<td>0007</td>")
    assert "in force from the start" in shown
    for wrong in ("7", "00007", "000a", 7):
        asked = await ask(service, "/v1/admin/formulas", {**named, "proposal": wrong}, operator)
        problem(asked, 422, "claim_refused")


async def test_a_formula_that_is_not_there_is_not_adopted(service: RunningService) -> None:
    operator = await service.operator_key()
    unknown = problem(await adopt(service, "glicko/1", "now", operator), 404, "unknown_formula")
    assert unknown["known"] == [ELO, SCALED]
    problem(await adopt(service, ELO, "2020", operator), 422, "claim_refused")
    problem(await adopt(service, ELO, "now", await service.source_key()), 403, "not_allowed")
    assert len(await facts_of(service, FormulaAdopted)) == 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/admin/sessions/void", {"session_ids": ["ses_" + "0" * 26], "reason": "other"}),
        ("/v1/admin/players/MJ-0000001Y/merge", {"into": "MJ-7K3Q9XZM"}),
        ("/v1/admin/players/MJ-0000001Y/unmerge", {}),
        ("/v1/admin/formulas", {"formula": ELO, "since": "now"}),
    ],
)
async def test_what_the_operator_does_is_for_nobody_else(
    service: RunningService, path: str, body: dict[str, Any]
) -> None:
    for key in (await service.source_key(), await service.auditor_key()):
        problem(await ask(service, path, body, key), 403, "not_allowed")
    problem(await service.client.post(path, json=body), 401, "not_authenticated")
    answer = await service.client.post(
        path, json={**body, "color": "red"}, headers=bearer(await service.operator_key())
    )
    errors = problem(answer, 422, "claim_refused")["errors"]
    assert ("/color", "unknown_field") in {(each["pointer"], each["code"]) for each in errors}


async def test_changes_that_are_not_rated_in_time_are_202(database: Database) -> None:
    async with running_service(database, is_rating=False) as service:
        operator = await service.operator_key()
        registered = [
            await service.client.post(
                "/v1/admin/players",
                json={"email": f"{name}@example.com"},
                headers=bearer(operator),
            )
            for name in ("ada", "bo")
        ]
        ada, bo = (each.json()["mahjic_id"] for each in registered)
        headers = {"prefer": "respond-async"}
        pending = [
            await ask(service, path, body, operator, **headers)
            for path, body in (
                (f"/v1/admin/players/{ada}/merge", {"into": bo}),
                (f"/v1/admin/players/{ada}/unmerge", {}),
                ("/v1/admin/formulas", {"formula": SCALED, "since": "beginning"}),
                ("/v1/admin/formulas", {"formula": ELO, "since": "now"}),
            )
        ]
        assert [each.status_code for each in pending] == [202] * 4
        assert all(each.json()["effect"] is None for each in pending)
        assert all(each.headers["Retry-After"] == "1" for each in pending)
        await service.start_rating()
        done = await adopt(service, ELO, "now", operator)
        assert (done.status_code, done.json()["effect"]["players_moved"]) == (200, 0)
