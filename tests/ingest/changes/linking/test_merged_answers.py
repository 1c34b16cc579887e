"""Answers name the person behind an address, through merges and their ends."""

from typing import Any

from tests.ingest.answers import player, problem
from tests.ingest.changes.asking import ask, caught_up, played, player_ids
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer

BY_ADA = a_session(a_round(ada=3, cy=1))
BY_BO = a_session(a_round(bo=3, cy=1))


async def link(service: RunningService, verb: str, player_id: str, **body: Any) -> dict[str, Any]:
    """Merge or unmerge a player, and return the answer."""
    path = f"/v1/admin/players/{player_id}/{verb}"
    answer = await ask(service, path, body, await service.operator_key())
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_an_address_that_is_merged_plays_on_as_its_survivor(service: RunningService) -> None:
    key = await service.source_key()
    await played(service, key, bo=3, dee=1)
    await played(service, key, ada=0, eve=4)
    ids = await player_ids(service)
    await link(service, "merge", ids["ada"], into=ids["bo"])
    answer = await service.submit(a_session(a_round({"ADA@example.com": 1, "cy": 0})), key)
    assert answer.status_code == 201
    told = player(answer, "ADA@example.com")
    # 16 up, then 32 * (0 - 0.523010) = -16.74 down, and 32 * (1 - 0.498935) = 16.03 up.
    assert (told["player_id"], told["mahjic_id"]) == (ids["bo"], ids["bo"])
    assert (told["rating_before"], told["rating_after"]) == (1499.26, 1515.29)
    assert (told["games_played_total"], told["is_new_player"]) == (9, False)
    assert ids["ada"] not in answer.text


async def test_two_addresses_of_one_player_at_one_table_are_refused(
    service: RunningService,
) -> None:
    key = await service.source_key()
    await played(service, key, ada=1, cy=0)
    await played(service, key, bo=1, dee=0)
    ids = await player_ids(service)
    await link(service, "merge", ids["ada"], into=ids["bo"])
    both = a_session(a_round(ada=1, dee=0, bo=0))
    refused = problem(await service.submit(both, key), 422, "claim_refused")
    assert [(each["pointer"], each["code"]) for each in refused["errors"]] == [
        ("/rounds/0/players/2/email", "player_twice")
    ]


async def test_a_session_from_before_a_merge_is_answered_with_what_its_request_calls_people(
    service: RunningService,
) -> None:
    key = await service.source_key()
    first = await service.submit(BY_ADA, key)
    await played(service, key, bo=0, dee=1)
    ids = await player_ids(service)
    await link(service, "merge", ids["ada"], into=ids["bo"])
    await caught_up(service)
    for claim, text in ((BY_ADA, "ada@example.com"), (BY_BO, "bo@example.com")):
        again = await service.submit(claim, key)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json()["session_id"] == first.json()["session_id"]
        assert player(again, text)["rating_after"] == 1516
        assert player(again, "cy@example.com")["rating_after"] == 1484


async def test_a_session_from_within_a_merge_is_answered_so_after_its_end(
    service: RunningService,
) -> None:
    key = await service.source_key()
    await played(service, key, ada=1, eve=0)
    await played(service, key, bo=0, dee=1)
    ids = await player_ids(service)
    await link(service, "merge", ids["ada"], into=ids["bo"])
    first = await service.submit(BY_ADA, key)
    assert player(first, "ada@example.com")["player_id"] == ids["bo"]
    await link(service, "unmerge", ids["ada"])
    await caught_up(service)
    again = await service.submit(BY_ADA, key)
    assert again.status_code == 200
    assert {each["player"] for each in again.json()["results"]} == {
        "ada@example.com",
        "cy@example.com",
    }
    # Bo did not play it, so it is another session.
    assert (await service.submit(BY_BO, key)).status_code == 201


async def test_a_merged_id_is_not_verified_and_the_survivor_is_named(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    await played(service, key, ada=1, cy=0)
    await played(service, key, bo=1, dee=0)
    ids = await player_ids(service)
    await link(service, "merge", ids["ada"], into=ids["bo"])
    answer = await service.client.put(
        f"/v1/admin/players/{ids['ada']}/verification",
        json={"verified": True},
        headers=bearer(operator),
    )
    refused = problem(answer, 409, "player_merged")
    assert (refused["player_id"], refused["survivor"]) == (ids["ada"], ids["bo"])
    registered = await ask(service, "/v1/admin/players", {"email": "ada@example.com"}, operator)
    assert (registered.status_code, registered.json()["player_id"]) == (200, ids["bo"])
