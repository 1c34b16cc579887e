"""Every method of both clients gets its answer from a service that runs."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from mahjic_client import (
    AsyncMahjic,
    BadRequest,
    Conflict,
    LogPage,
    Mahjic,
    NotAllowed,
    NotFound,
)
from tests.clients.python.either import HURRIED, Either
from tests.ingest.claims import a_round, a_session
from tests.test_documents import OPERATIONS
from tests.whole.conftest import ServedSite

NOTHING = "MJ-0000001Y"


class Callers:
    """Somebody with each kind of key, and somebody without."""

    def __init__(self, kind: type[Mahjic] | type[AsyncMahjic], site: ServedSite) -> None:
        self.club, self.operator, self.auditor = (
            Either(kind(site.url, site.keys[each], patience=HURRIED))
            for each in ("source", "operator", "auditor")
        )
        self.public = Either(kind(site.url, patience=HURRIED))
        self.day = "2026-02-01" if kind is Mahjic else "2026-02-02"

    @property
    def all(self) -> list[Either]:
        """All of them."""
        return [self.club, self.operator, self.auditor, self.public]

    async def night(self, *players: str, **more: Any) -> Any:
        """Record a round that the first player wins, and return the answer."""
        won = {who: len(players) - place for place, who in enumerate(players)}
        claim = a_session(a_round(won, ref=f"{self.day} {players}"), on=self.day)
        return await self.club.submit_session(**claim, **more)


@pytest.fixture(params=[Mahjic, AsyncMahjic])
async def callers(request: pytest.FixtureRequest, site: ServedSite) -> AsyncIterator[Callers]:
    callers = Callers(request.param, site)
    yield callers
    for each in callers.all:
        await each.close()


async def submitting(callers: Callers) -> dict[str, Any]:
    """Try all that a source sends, and return a session that counts."""
    club = callers.club
    tried = await callers.night("ada", "bo", dry_run=True)
    assert (tried["status"], tried["session_id"]) == ("dry_run", None)
    night: dict[str, Any] = await callers.night("ada", "bo")
    assert night["status"] == "rated"
    assert sum(each["rating_change"] for each in night["results"]) == 0
    assert (await callers.night("ada", "bo"))["session_id"] == night["session_id"]

    claim = a_session(a_round(ada=1, bo=3, wall_games=1), on=callers.day)
    tried = await club.correct_session(night["session_id"], **claim, dry_run=True)
    assert tried["kind"] == "changed"
    new = await club.correct_session(night["session_id"], **claim, reason="wrong_result", note="n")
    assert new["corrects"] == night["session_id"]
    voided = await club.void_session(new["session_id"], reason="test_entry")
    assert voided["status"] == "voided"
    with pytest.raises(Conflict) as refused:
        await club.correct_session(night["session_id"], **a_session(a_round(ada=9, bo=1)))
    assert refused.value.code == "already_corrected"

    rounds = [a_round({"cy": 2, "di": 1}, ref=f"{callers.day} {number}") for number in range(3)]
    lines = [a_session(each, on=callers.day) for each in rounds]
    answers = await club.submit_batch([*lines, {"session_date": "tomorrow"}], if_similar="warn")
    assert [(each["line"], each["status"]) for each in answers] == [
        (1, 201),
        (2, 201),
        (3, 201),
        (4, 422),
    ]
    assert answers[3]["problem"]["code"] == "claim_refused"
    again = await club.batch(lines)
    assert [each["replayed"] for each in again] == [True, True, True]
    return night


async def sheets(callers: Callers) -> None:
    """Try all score sheets."""
    club = callers.club
    session_id = (await callers.night("fay", "gus"))["session_id"]
    for sheet, blank, start in (
        (await club.get_session_sheet_csv(session_id), await club.get_sheet_template_csv(), b""),
        (
            await club.get_session_sheet_xlsx(session_id),
            await club.get_sheet_template_xlsx(),
            b"PK",
        ),
    ):
        assert sheet.startswith(start)
        assert blank.startswith(start)
        assert sheet != blank
        with pytest.raises(BadRequest) as refused:
            await club.submit_sheet(file=blank)
        assert refused.value.mistakes
        tried = await club.submit_sheet(file=sheet, dry_run=True, allow_duplicate=True)
        assert tried["status"] == "dry_run"
        tried = await club.correct_session_with_sheet(session_id, file=sheet, dry_run=True)
        assert tried["kind"] == "same"


async def reading(callers: Callers, night: dict[str, Any]) -> None:
    """Ask for all that can be read."""
    club, public = callers.club, callers.public
    stored = await club.get_session(night["session_id"], min_seq=night["seq"])
    assert stored["status"] == "corrected"
    page = await club.list_sessions(from_=callers.day, to=callers.day, limit=2)
    assert len(page["sessions"]) == 2
    everything = await club.sessions(from_=callers.day, to=callers.day, limit=2)
    assert len({each["session_id"] for each in everything}) == len(everything) == 6
    assert everything[:2] == page["sessions"]

    assert [each["slug"] for each in (await public.list_sources())["sources"]] == ["a-club"]
    assert (await public.get_source("a-club"))["name"] == "A Club"
    assert (await public.get_formula())["name"] == "mahjic-elo/1"
    for page, rows in (
        (await public.get_leaderboard(min_games=0), await public.leaderboard(min_games=0)),
        (await public.get_region_leaderboard("west"), await public.region_leaderboard("west")),
        (await public.get_source_leaderboard("a-club"), await public.source_leaderboard("a-club")),
    ):
        assert page["players"] == rows
    games = "east: Ada\nplayers: Ada, Bo, Cy, Di\n"
    with pytest.raises(BadRequest) as refused:
        await public.score_games("hk", games=games, session=False)
    assert refused.value.mistakes


async def players(callers: Callers, night: dict[str, Any]) -> None:
    """Ask for all about players, who must be public for it."""
    public, operator = callers.public, callers.operator
    who = night["results"][0]["player_id"]
    found = await callers.club.look_up_people(player_ids=[who])
    assert found["people"][0]["player_id"] == who
    assert (await operator.set_privacy(who, privacy="normal"))["privacy"] == "normal"
    assert (await operator.set_verification(who, verified=True, reason="a test"))["verified"]
    profile = await public.get_player(who)
    assert profile["player_id"] == who
    assert (await public.search_players(q=who))["players"][0]["player_id"] == who
    page = await public.get_history(who, limit=1)
    changes = await public.history(who, limit=1)
    assert changes[:1] == page["changes"]
    kinds = {}
    for each in changes:
        kinds[each["type"]] = await public.get_change(who, each["change_id"])
        rounds = await public.changed_rounds(who, each["change_id"], limit=1)
        assert (len(rounds) > 0) == (each["type"] == "correction")
    assert set(kinds) == {"round", "correction"}

    other = (await operator.register_player(email=f"other-{callers.day}@example.com"))["player_id"]
    assert (await operator.merge_player(other, into=who, note="the same"))["effect"] is not None
    assert await public.get_player(other) == await public.get_player(who)  # It says where.
    assert await public.history(other, limit=1) == await public.history(who)
    assert (await operator.unmerge_player(other))["effect"] is not None
    with pytest.raises(NotFound):
        await public.get_player(NOTHING)


async def operating(callers: Callers) -> None:
    """Ask for all that operators and auditors ask for."""
    operator, auditor = callers.operator, callers.auditor
    with pytest.raises(NotAllowed):
        await callers.club.list_disputes()
    assert await operator.disputes(limit=1) == (await operator.list_disputes())["disputes"] == []
    assert await operator.wrong_addresses(source="a-club") == []
    assert (await operator.list_wrong_addresses())["wrong_addresses"] == []
    with pytest.raises(NotFound):
        await operator.answer_dispute(number=10**6, answer="Sorry.")
    gone = await callers.night("gone", "ed")
    who = gone["results"][0]["player_id"]
    moved = await operator.reseat_player(
        who, sessions=[gone["session_id"]], email=f"new-{callers.day}@example.com"
    )
    assert moved["effect"]["players_moved"] > 0
    await operator.erase_note(moved["fact_seq"])
    assert await operator.forget_player(who) is None
    voided = await operator.void_sessions(reason="other", session_ids=[gone["session_id"]])
    assert voided["session_ids"] == [gone["session_id"]]
    adopted = await operator.adopt_formula(formula="mahjic-elo/1", since="now")
    assert adopted["formula"] == "mahjic-elo/1"

    for page, records in (
        (await auditor.list_facts(limit=3), await auditor.facts(from_=2, limit=3)),
        (await auditor.list_verdicts(limit=3), await auditor.verdicts(from_=2, limit=3)),
    ):
        assert isinstance(page, LogPage)
        assert page.records[1:] == records[:2]
        assert len(records) > 6
        chain = bytes.fromhex(page.chain_before or "")
        for each in page.records:
            chain = hashlib.sha256(chain + each).digest()
        assert chain.hex() == page.chain_after
    assert (await operator.get_health())["status"] == "alive"
    assert await operator.get_readiness()
    assert "# TYPE" in await operator.get_metrics()


async def proofs(callers: Callers, night: dict[str, Any]) -> None:
    """Ask for proofs where there is no public log."""
    who = night["results"][0]["player_id"]
    change_id = (await callers.public.get_history(who, limit=1))["changes"][0]["change_id"]
    for refused in (
        callers.public.get_change_proof(who, change_id),
        callers.public.list_change_proofs(who, limit=1),
        callers.club.get_session_proof(night["session_id"]),
        callers.auditor.list_fact_salts(limit=1),
        callers.auditor.list_verdict_salts(limit=1),
    ):
        with pytest.raises(NotFound) as told:
            await refused
        assert told.value.code == "no_public_log"


async def told(callers: Callers, night: dict[str, Any]) -> None:
    """Follow the events until the night is among them."""
    page = await callers.club.list_events(after=0, limit=500, wait=10)
    assert page["events"]
    client, came = callers.club.client, []
    if isinstance(client, AsyncMahjic):
        async for each in client.events(after=0, limit=2):
            came.append(each)
            if each["data"].get("session_id") == night["session_id"]:
                break
    else:
        for each in client.events(after=0, limit=2):
            came.append(each)
            if each["data"].get("session_id") == night["session_id"]:
                break
    assert came[-1]["type"] == "session.rated"


async def test_every_method_is_answered(callers: Callers) -> None:
    night = await submitting(callers)
    await sheets(callers)
    await reading(callers, night)
    await players(callers, night)
    await proofs(callers, night)
    await operating(callers)
    await told(callers, night)
    called = set().union(*(each.called for each in callers.all))
    assert called >= OPERATIONS


async def test_a_refusal_is_an_error_with_its_mistakes(callers: Callers) -> None:
    claim = a_session(a_round(ada=2, bo=1), game_type="golf")
    with pytest.raises(NotAllowed):
        await callers.public.submit_session(**claim)
    with pytest.raises(BadRequest) as refused:
        await callers.club.submit_session(**claim)
    assert [each.pointer for each in refused.value.mistakes] == ["/game_type"]
    assert (refused.value.status, refused.value.code) == (422, "claim_refused")
    assert "/game_type: " in str(refused.value)
