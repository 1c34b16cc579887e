"""A formula is tried on the whole history: what is measured is right, and nothing is touched."""

import asyncio
import math
import threading
import xml.etree.ElementTree as ET
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from services.foresight.forecasts import BINS, Forecasts, expected_scores
from services.foresight.season import read_season
from services.foresight.trying import FormulaTrial, try_formula
from services.operating.as_it_is import BothLogs
from services.operating.plotting import PlotNotWritten, check_drawable, draw_trial
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayerVerified,
    SeatsReassigned,
    SessionSubmitted,
)
from shared.rating.expected import expected_nano
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED, Formula, formula_of
from tests.cli.running import Ended, end_of, start
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import Database
from tests.corrections.histories import a_long_history
from tests.corrections.rating import rated as let_rate
from tests.corrections.stories import adopted_from_beginning, beats, corrected, voided
from tests.log.adapters import Logs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.stories import ADOPTED, a_round, a_session, fact_bodies
from tests.replay_by_hand.replay import replay


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


async def tried(
    facts: list[FactEvent], formula: Formula = MAHJIC_ELO_2_SCALED, since: date | None = None
) -> FormulaTrial:
    logs = new_memory_logs()
    await logs.facts.append(fact_bodies(facts))
    season = await read_season(logs.facts, (await logs.facts.tail()).seq, no_progress)
    return await try_formula(season, formula, since, no_progress)


async def opened(logs: Logs) -> BothLogs:
    return BothLogs(logs.facts, logs.verdicts, await logs.facts.tail(), await logs.verdicts.tail())


def four_at_a_table(name: str = "s-4") -> SessionSubmitted:
    return a_session(a_round({"ada": 3, "bo": 2, "cy": 1, "dot": 0}), name=name)


async def test_two_forecasts_are_measured_as_by_hand() -> None:
    # Ada beats Bo, as nobody could foretell; then, 32 points ahead of him, once more.
    trial = await tried([ADOPTED, beats("ada", "bo", "s-1"), beats("ada", "bo", "s-2")])
    expected = 1 / (1 + 10 ** (-32 / 400))
    forecasts = trial.forecasts_now.all
    assert (forecasts.pairs, forecasts.decided) == (2, 2)
    assert forecasts.log_loss == pytest.approx((math.log(2) - math.log(expected)) / 2, abs=1e-9)
    assert forecasts.brier == pytest.approx((0.25 + (1 - expected) ** 2) / 2, abs=1e-9)
    assert forecasts.accuracy == 0.75
    assert forecasts.counts.sum() == 4
    assert forecasts.actual.sum() == 2


async def test_ties_and_bob_are_measured_as_what_they_are() -> None:
    tie = a_session(a_round({"ada": 1, "bo": 1, "BOB": 2}), name="s-1")
    forecasts = (await tried([ADOPTED, tie])).forecasts_now.all
    assert (forecasts.pairs, forecasts.decided, forecasts.accuracy) == (1, 0, None)
    assert forecasts.log_loss == pytest.approx(math.log(2))
    assert forecasts.brier == 0


async def test_four_at_a_table_are_six_forecasts() -> None:
    trial = await tried([ADOPTED, four_at_a_table()])
    assert trial.forecasts_now.all.pairs == 6
    # By the first formula Ada gains 3 times 16, by the other a third of it; nobody else but Dot
    # as much.
    assert (trial.mahjic.players, trial.mahjic.moved, trial.mahjic.most) == (4, 4, 3200)
    # Bo wins against two and loses against one: 16.00, and a third of it, 5.33.
    assert trial.mahjic.median == 1067
    assert {each.player_id: each.rating_tried for each in trial.movers} == {
        "ada": 151_600,
        "bo": 150_533,
        "cy": 149_467,
        "dot": 148_400,
    }


async def test_before_and_since_a_date_are_measured_apart() -> None:
    early, late = beats("ada", "bo", "s-1"), beats("ada", "bo", "s-2")
    late = SessionSubmitted(late.session_id, late.source, "2026-04-01", "social", late.rounds, ())
    trial = await tried([ADOPTED, early, late], since=date(2026, 4, 1))
    before, since = trial.forecasts_now.before, trial.forecasts_now.since
    assert (before.pairs, since.pairs) == (1, 1)
    assert before.log_loss == pytest.approx(math.log(2))
    assert since.log_loss == pytest.approx(math.log(1 + 10 ** (-32 / 400)), abs=1e-9)


async def test_rounds_that_do_not_count_are_not_foretold() -> None:
    facts: list[FactEvent] = [
        ADOPTED,
        beats("ada", "bo", "s-1"),
        voided("s-1"),
        beats("cy", "bo", "s-2"),
        corrected("s-2", four_at_a_table()),
    ]
    trial = await tried(facts)
    assert trial.forecasts_now.all.pairs == 6
    assert trial.rounds == 3


async def test_rounds_whose_seats_are_reassigned_keep_their_day() -> None:
    early, late = beats("ada", "bo", "s-1"), beats("ada", "bo", "s-2")
    early = SessionSubmitted(
        early.session_id, early.source, "2026-01-01", "social", early.rounds, ()
    )
    late = SessionSubmitted(late.session_id, late.source, "2026-04-01", "social", late.rounds, ())
    given = [SeatsReassigned("bo", "cy", (each,)) for each in ("s-2", "s-1")]
    trial = await tried([ADOPTED, early, late, *given], since=date(2026, 4, 1))
    assert (trial.forecasts_now.before.pairs, trial.forecasts_now.since.pairs) == (1, 1)
    # What Ada gained on the first day was foretold by nobody; on the second she was 32 ahead.
    assert trial.forecasts_now.before.log_loss == pytest.approx(math.log(2))
    assert trial.rounds == 2


async def test_a_tried_formula_comes_to_what_adopting_it_from_the_beginning_does() -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, 150)
    trial = await tried(facts)
    adopted = [*facts, adopted_from_beginning(MAHJIC_ELO_2_SCALED.name)]
    *_, held, by_hand = replay(enumerate(adopted, start=1))
    for mover in trial.movers:
        assert mover.rating_now == held.standings[mover.player_id].rating_centi
        assert mover.rating_tried == by_hand.standings[mover.player_id].rating_centi


async def test_the_board_is_of_verified_players_and_shares_places() -> None:
    verified = [PlayerVerified(each) for each in ("ada", "bo", "cy", "dot")]
    rounds = [four_at_a_table(f"s-{number}") for number in range(2)]
    trial = await tried([ADOPTED, *verified, *rounds])
    assert trial.board.members == 4
    assert trial.board.most_places == 0
    assert trial.board.correlation == pytest.approx(1)
    assert [(each.player_id, each.place_now, each.place_tried) for each in trial.board.top] == [
        ("ada", 1, 1),
        ("bo", 2, 2),
        ("cy", 3, 3),
        ("dot", 4, 4),
    ]
    too_few = await tried([ADOPTED, *verified, four_at_a_table()])
    assert (too_few.board.members, too_few.board.top) == (0, ())


async def test_a_trial_that_nobody_waits_for_leaves_its_thread() -> None:
    facts: list[FactEvent] = []
    for number in range(20):  # Each formula that is adopted ends a stretch.
        adopted = (MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED)[number % 2]
        facts += [FormulaAdopted(adopted.name, adopted.parameters), four_at_a_table(f"s-{number}")]
    logs = new_memory_logs()
    await logs.facts.append(fact_bodies(facts))
    season = await read_season(logs.facts, (await logs.facts.tail()).seq, no_progress)
    loop, is_canceled, stretches = asyncio.get_running_loop(), threading.Event(), list[int]()

    async def cancel() -> None:
        trial.cancel()
        for _ in range(5):  # So that whoever is canceled has had a turn.
            await asyncio.sleep(0)
        is_canceled.set()

    def show(_at_hand: str, done: int, _total: int) -> None:
        stretches.append(done)
        asyncio.run_coroutine_threadsafe(cancel(), loop)
        assert is_canceled.wait(60)

    trial = asyncio.create_task(try_formula(season, MAHJIC_ELO_1, None, show))
    with pytest.raises(asyncio.CancelledError):
        await trial
    assert stretches == [1]


async def test_nothing_was_played_and_nothing_breaks() -> None:
    trial = await tried([ADOPTED])
    assert trial.forecasts_now.all.log_loss is None
    assert (trial.mahjic.players, trial.board.members, trial.movers) == (0, 0, ())


def test_expected_scores_are_those_of_the_formula() -> None:
    for scale_centi in (40_000, 25_000):
        ahead = np.array([0, 1, -1, 3_200, -40_000, 10**9, -(10**9)])
        for d, score in zip(ahead.tolist(), expected_scores(ahead, scale_centi), strict=True):
            assert score == pytest.approx(expected_nano(d, scale_centi) / 1e9, abs=1.1e-9)
            assert 0 < score < 1


def test_sure_forecasts_that_fail_are_dear_and_not_endless() -> None:
    forecasts = Forecasts()
    forecasts.add(expected_scores(np.array([10**9]), 40_000), np.array([0.0]))
    assert forecasts.log_loss == pytest.approx(math.log(1e9), rel=1e-6)
    assert forecasts.counts.tolist()[:1] + forecasts.counts.tolist()[-1:] == [1, 1]
    assert len(forecasts.counts) == BINS


async def test_a_plot_is_the_same_for_the_same_trial(tmp_path: Path) -> None:
    trial = await tried([ADOPTED, four_at_a_table()])
    for name in ("one.svg", "two.svg"):
        draw_trial(trial, tmp_path / name)
    one, two = (tmp_path / "one.svg").read_bytes(), (tmp_path / "two.svg").read_bytes()
    assert one == two
    assert ET.fromstring(one).tag == "{http://www.w3.org/2000/svg}svg"


async def test_a_plot_takes_any_name_of_a_file(tmp_path: Path) -> None:
    formula = formula_of(MAHJIC_ELO_1.rules, r"the file $\wrong{$_^.json")
    trial = await tried([ADOPTED, four_at_a_table()], formula)
    draw_trial(trial, tmp_path / "trial.svg")
    assert ET.parse(tmp_path / "trial.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


async def test_a_plot_that_cannot_be_written_is_told_before_the_work_and_after_it(
    rated: Database, tmp_path: Path
) -> None:
    nowhere = tmp_path / "none" / "trial.svg"
    for wrong in (nowhere, tmp_path):
        refused = await run(rated, "try", MAHJIC_ELO_2_SCALED.name, "--svg", str(wrong))
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr.startswith("plot_not_written: ")
    trial = await tried([ADOPTED, four_at_a_table()])
    with pytest.raises(PlotNotWritten, match="No such file or directory"):
        draw_trial(trial, nowhere)
    file = tmp_path / "trial.svg"
    check_drawable(file)
    assert not file.exists()
    file.write_text("another plot")
    check_drawable(file)
    assert file.read_text() == "another plot"


async def run(database: Database, *arguments: str) -> Ended:
    environment = {"MAHJIC_DATABASE_URL": database.dsn}
    return await end_of(await start("formula", *arguments, **environment))


async def test_the_command_shows_a_season_and_touches_nothing(
    rated: Database, tmp_path: Path
) -> None:
    before = await everything(rated)
    svg = tmp_path / "trial.svg"
    ended = await run(
        rated, "try", "mahjic-elo/2-scaled", "--since", "2002-01-01", "--svg", str(svg)
    )
    assert ended.exit_code == 0, ended.stderr
    tables = ended.stdout.split("\n\n")
    assert [table.split("\t")[0].strip() for table in tables] == ["rounds", "pool", "player"]
    periods = [line.split("\t")[0] for line in tables[0].splitlines()[1:]]
    assert periods == [*["all"] * 2, *["before 2002-01-01"] * 2, *["since 2002-01-01"] * 2]
    assert svg.stat().st_size > 10_000
    assert await everything(rated) == before


async def everything(database: Database) -> list[Any]:
    tables = ("head", "rater", "facts", "verdicts", "view_builds")
    return [await database.pool.fetch(f"SELECT * FROM mahjic.{table}") for table in tables]


async def test_a_file_of_parameters_is_tried_and_a_bad_one_named(
    rated: Database, tmp_path: Path
) -> None:
    file = tmp_path / "steeper.json"
    parameters = {
        "scale_centi": 25_000,
        "k_bands": [{"games_min": 0, "k": 20}],
        "points_per_bonus_point": 50,
        "bonus_max_nano": 0,
        "is_scaled": True,
    }
    file.write_bytes(orjson.dumps(parameters))
    told = orjson.loads((await run(rated, "try", str(file), "--json")).stdout)
    assert told["formula"] == "the file steeper.json"
    assert set(told["forecasts"]) == {"now", "tried"}
    assert told["forecasts"]["tried"]["all"]["pairs"] == told["forecasts"]["now"]["all"]["pairs"]
    file.write_bytes(orjson.dumps({**parameters, "scale_centi": 0}))
    refused = await run(rated, "try", str(file))
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[1:] == [
        "  /scale_centi: out_of_range: It is 0. Write a whole number from 1000 to 400000."
    ]
    for wrong in ("mahjic-elo/9", str(tmp_path)):
        refused = await run(rated, "try", wrong)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("unreadable_formula: ")


async def test_the_formulas_are_listed(rated: Database) -> None:
    head, *rows = (await run(rated, "list")).rows
    assert [row[0] for row in rows] == [MAHJIC_ELO_1.name, MAHJIC_ELO_2_SCALED.name]
    assert head[0] == "formula"


@pytest.mark.parametrize("agreed", [True, False])
async def test_a_formula_is_shown_before_it_is_adopted(rated: Database, agreed: bool) -> None:
    arguments = ["formula", "adopt", MAHJIC_ELO_2_SCALED.name, "--since", "beginning"]
    with ScriptedService(Told(201, ADOPTION)) as service:
        environment = {
            "MAHJIC_DATABASE_URL": rated.dsn,
            "MAHJIC_URL": service.url,
            "MAHJIC_KEY": "mjk_" + "k" * 43,
        }
        ended = await end_of(await start(*arguments, *["--yes"] * agreed, **environment))
    assert "log_loss" in ended.stdout
    assert ended.exit_code == (0 if agreed else 1), ended.stderr
    assert [orjson.loads(each.body) for each in service.asked] == [
        {"formula": MAHJIC_ELO_2_SCALED.name, "since": "beginning"}
    ] * agreed


async def test_an_adoption_for_programs_prints_its_answer_and_asks_nobody(rated: Database) -> None:
    arguments = ["formula", "adopt", MAHJIC_ELO_2_SCALED.name, "--json"]
    with ScriptedService(Told(201, ADOPTION)) as service:
        environment = {"MAHJIC_DATABASE_URL": rated.dsn, "MAHJIC_URL": service.url}
        key = {"MAHJIC_KEY": "mjk_" + "k" * 43}
        refused = await end_of(await start(*arguments, **environment, **key))
        without_key = await end_of(await start(*arguments, "--yes", **environment))
        assert service.asked == []
        ended = await end_of(await start(*arguments, "--yes", **environment, **key))
    assert (refused.exit_code, without_key.exit_code, ended.exit_code) == (2, 2, 0)
    assert without_key.stderr.startswith("invalid_settings: MAHJIC_KEY")
    assert orjson.loads(ended.stdout) == ADOPTION


ADOPTION = {
    "formula": MAHJIC_ELO_2_SCALED.name,
    "since": "beginning",
    "proposal": None,
    "fact_seq": 17,
    "seq": 17,
    "effect": {"fact_seq": 17, "players_moved": 0, "changes": [], "others_moved": 0},
}


async def test_a_formula_of_parameters_rates_as_its_kernel_does() -> None:
    rules = Parameters(40_000, ((0, 32), (30, 24), (101, 16)), 50, 5_000_000_000)
    facts: list[FactEvent] = [ADOPTED, *(four_at_a_table(f"s-{number}") for number in range(9))]
    trial = await tried(facts, formula_of(rules, "the same again"))
    assert trial.mahjic.moved == 0
    assert trial.forecasts_now.all.log_loss == trial.forecasts_tried.all.log_loss
    logs = new_memory_logs()
    await let_rate(logs, facts)
    assert (await opened(logs)).verdicts_end.seq == len(facts)
