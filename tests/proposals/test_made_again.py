"""The made-up history and the trials on it can be made again by anyone, to the last byte."""

from collections import Counter

import orjson

from shared.db.server.embedded import EmbeddedServer
from shared.events.facts import SessionSubmitted
from shared.proposals.shelf import KEPT, ProposalTrial
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.proposals.made_town import made_history
from tests.proposals.trying import plant, try_on

FORMULA = KEPT / "0001-k-by-rounds-or-by-games.json"


def test_the_same_seed_makes_the_same_facts() -> None:
    facts = list(made_history(3, 400))
    assert facts == list(made_history(3, 400))
    assert facts != list(made_history(4, 400))
    sessions = [each for each in facts if isinstance(each, SessionSubmitted)]
    assert len(sessions) == 400
    by_source = Counter(each.source for each in sessions)
    assert by_source["platform"] > by_source["evening-club"] > by_source["tournament"] > 0
    games = {each.source: {r.games_played for r in each.rounds} for each in sessions}
    assert games["evening-club"] <= {10, 12, 14}
    assert games["league"] == games["platform"] == games["tournament"] == {4}
    for each in sessions:
        for played in each.rounds:
            assert sum(played.mahjongs) + played.wall_games == played.games_played
            assert len(set(played.players)) == 4


async def test_a_trial_is_the_same_on_another_database(
    database: Database, postgres_server: EmbeddedServer
) -> None:
    async with fresh_database(postgres_server, template=TEMPLATE) as other:
        told = []
        for each in (database, other):
            await plant(each.pool, made_history(3, 300))
            ended = await try_on(each.dsn, FORMULA)
            assert ended.exit_code == 0, ended.stderr
            told.append(ended.stdout)
    assert told[0] == told[1]
    trial = ProposalTrial.model_validate_json(told[0])
    assert trial.formula == f"the file {FORMULA.name}"
    assert trial.mahjic.moved > 0
    assert orjson.loads(told[0])["movers"] == []
