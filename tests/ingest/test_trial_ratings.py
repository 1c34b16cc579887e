"""The promises of the port that trials take ratings from, of the real one and of a fake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from services.ingest.trials import Ratings, Trials
from shared.events.verdicts import SessionRated
from shared.replay.session_rating import Standing
from tests.ingest.changes.asking import caught_up
from tests.ingest.claims import a_round, a_session, read
from tests.service import RunningService


@dataclass
class FakeRatings:
    """Standings and verdicts that a test has put there."""

    seq: int = 0
    now: dict[str, Standing] = field(default_factory=dict)
    verdicts: dict[str, SessionRated] = field(default_factory=dict)

    async def standings(
        self, _connection: object, player_ids: Sequence[str]
    ) -> tuple[int, Mapping[str, Standing]]:
        return self.seq, {each: self.now[each] for each in player_ids if each in self.now}

    async def rated(
        self, _connection: object, session_ids: Sequence[str]
    ) -> Mapping[str, SessionRated]:
        return {each: self.verdicts[each] for each in session_ids if each in self.verdicts}


def standing_of(result: dict[str, Any]) -> Standing:
    return Standing(
        round(result["rating_after"] * 100),
        result["games_played_total"],
        round(result["verified_rating_after"] * 100),
        result["verified_games_played_total"],
        is_verified=False,
    )


@pytest.mark.parametrize("which", ["real", "fake"])
async def test_the_port_keeps_its_promises(
    service: RunningService, which: Literal["real", "fake"]
) -> None:
    key = await service.source_key()
    played = (await service.submit(a_session(a_round(ada=2, bo=1)), key)).json()
    await caught_up(service)
    expected = {each["player_id"]: standing_of(each) for each in played["results"]}
    real: Ratings = service.service.recording.trials._ratings
    async with service.pool.acquire() as connection:
        verdicts = await real.rated(connection, [played["session_id"]])
        fake = FakeRatings(played["seq"], dict(expected), dict(verdicts))
        port = real if which == "real" else Ratings(fake.standings, fake.rated)
        asked = [*expected, "MJ-00000000", "newcomer 1"]
        # Whoever has not played is absent, and the fact is told also of nobody.
        assert await port.standings(connection, asked) == (played["seq"], expected)
        assert await port.standings(connection, []) == (played["seq"], {})
        # What is not rated, or not there, is absent.
        rated = await port.rated(connection, [played["session_id"], "ses_" + "0" * 26])
        assert set(rated) == {played["session_id"]}
        assert rated[played["session_id"]].rounds[0].mahjongs == (2, 1)
    # By either of them a trial says the same.
    again = read(
        a_session(a_round({"ada": 1, "bo": 1, "PRIVATE:cy@x.example": 2}), on="2026-01-02")
    )
    answers = [
        await Trials(service.pool, each, limit_per_minute=9).run(again, source="a-club")
        for each in (port, real)
    ]
    assert answers[0] == answers[1]
    assert [each["rating_before"] for each in answers[0]["results"]] == [
        *(each["rating_after"] for each in played["results"]),
        1500.0,
    ]
