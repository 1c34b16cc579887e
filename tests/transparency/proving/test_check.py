"""A check finds that everything holds where it does."""

from pathlib import Path

import pytest

from services.projections.history.reads import HistoryRequest
from services.projections.log.routes import Logs
from services.transparency.beginning import init_public_logs
from services.transparency.folder import Standstill, TransparencyFolder
from services.transparency.proving.proofs import ProofPending, Prover, prove_changes
from services.transparency.public_logs import PublicLogs
from shared.events.facts import SessionsVoided
from tests.projections.season import Round
from tests.transparency.proving.signed_world import PUBLIC_URL, SignedWorld


async def a_year(signed: SignedWorld) -> list[str]:
    """Play nights with verified players, points, a void, a correction and a merge."""
    season = signed.season
    club = await season.source("club")
    people = [await season.player(n, source=club) for n in range(1, 6)]
    for each in people[:3]:
        await season.verify(each)
    a, b, c, d, e = people
    sessions = []
    for night in range(6):
        points = {a: 2_500, b: -500, c: -1_000, d: -1_000} if night % 2 else None
        first = Round({a: 2, b: 1, c: night % 3, d: 0}, 1, points_centi=points)
        second = Round(
            {b: 2, a: 1, e: 0},
            points_centi=None if points is None else {b: 1_000, a: 0, e: -1_000},
        )
        session, _ = await season.play(
            club,
            first,
            second,
            on=f"2026-01-{night + 1:02}",
            game_type="league" if points else "social",
        )
        sessions.append(session)
    await season.tell(SessionsVoided((sessions[1],), "wrong_result"))
    await season.merge(e, d)
    await signed.follow()
    return people


async def test_everything_holds(signed: SignedWorld) -> None:
    people = await a_year(signed)
    checked = await signed.check(*people[:4])
    assert checked.findings.wrong == []
    assert checked.not_finished is None
    assert checked.holds
    assert all(each.changes > 4 for each in checked.players)
    for each in checked.players:
        assert each.records_shown == 2 * await facts_behind(signed, each.player_id)


async def facts_behind(signed: SignedWorld, who: str) -> int:
    """Return how many facts have moved a player, by the ids of the changes."""
    history = await signed.world.get(f"/v1/players/{who}/history", limit=50)
    return len({each["change_id"].split(".")[1] for each in history["changes"]})


async def test_an_auditor_rates_everything_again(signed: SignedWorld) -> None:
    await a_year(signed)
    checked = await signed.check(as_auditor=True)
    assert checked.findings.wrong == []
    assert checked.holds
    assert checked.rated_again is not None
    assert checked.rated_again.facts == (await signed.season.facts.tail()).seq


async def test_an_id_that_was_merged_leads_to_its_player(signed: SignedWorld) -> None:
    people = await a_year(signed)
    # Elsewhere, the last one was merged into the one before.
    checked = await signed.check(people[4])
    assert checked.holds, checked
    assert checked.players[0].player_id == people[3]
    assert checked.findings.notes == [
        f"{people[4]} leads to {people[3]}, so that player was checked."
    ]
    assert checked.players[0] == (await signed.check(people[3])).players[0]


async def test_what_was_withheld_is_told_in_the_sentence(signed: SignedWorld) -> None:
    people = await a_year(signed)
    shown = (await signed.check(people[0])).sentence("x")
    await signed.season.change(people[1], is_private=True)
    await signed.follow()
    checked = await signed.check(people[0])
    count = checked.players[0].changes
    records = 2 * await facts_behind(signed, people[0])
    assert shown.endswith(
        f", {count} changes add up and are on the logs, "
        f"{records} of their {records} records are shown and say the same."
    )
    # The facts of the void and of the merge do not name the one who is private.
    assert f", 2 of their {records} records are shown" in checked.sentence("x")


async def test_what_is_not_signed_says_if_it_will_be(signed: SignedWorld, tmp_path: Path) -> None:
    who = (await a_year(signed))[0]
    world, path = signed.world, tmp_path / "unsigned"
    init_public_logs(path, PUBLIC_URL)
    folder = TransparencyFolder(path)
    logs = Logs(facts=signed.season.facts, verdicts=signed.season.log)
    prover = Prover(world.reader, logs, PublicLogs(folder))
    with pytest.raises(ProofPending, match="in a moment") as pending:
        await prove_changes(prover, who, HistoryRequest(), None)
    assert pending.value.headers == {"Retry-After": "2"}
    folder.stop(Standstill("history_split", "A disk was lost.", "2026-02-01T12:00:00Z"))
    with pytest.raises(ProofPending, match="not signed any further") as stopped:
        await prove_changes(prover, who, HistoryRequest(), None)
    assert not stopped.value.headers
    assert "disk" not in stopped.value.detail
