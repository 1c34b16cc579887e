"""Two formulas are compared on the whole history: against plain arithmetic, and nobody is named."""

import math
from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import mean

import orjson
import pytest

from services.foresight.comparing import FormulaComparison, compare_formulas
from services.foresight.comparison_page import comparison_page
from services.foresight.season import read_season
from shared.events.facts import FactEvent, SessionSubmitted
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from tests.cli.running import Ended, end_of, start
from tests.conftest import Database
from tests.log.adapters import new_memory_logs
from tests.operating.test_trying import everything, no_progress
from tests.rater.stories import ADOPTED, a_round, a_session, fact_bodies
from tests.replay_by_hand.formulas import ELO, SCALED, Seat, changes_centi

PLAYERS = [f"p{number:02}" for number in range(40)]
BAND_STARTS = {
    "Expert": 180_000,
    "Advanced": 160_000,
    "Intermediate": 140_000,
    "Beginner": 120_000,
    "Newcomer": -(10**9),
}


def a_season(rounds: int, seed: int) -> list[SessionSubmitted]:
    """Return sessions of one round for four, in which whoever is listed first is much stronger."""
    chance = Random(seed)
    season = []
    for number in range(rounds):
        table = chance.sample(PLAYERS, 4)
        strengths = [math.exp(-PLAYERS.index(each) / 6) for each in table]
        wins = chance.choices(table, strengths, k=6)
        played = a_round({each: wins.count(each) for each in table})
        season.append(a_session(played, name=f"s-{number}"))
    return season


async def compared(facts: list[FactEvent]) -> FormulaComparison:
    logs = new_memory_logs()
    await logs.facts.append(fact_bodies(facts))
    season = await read_season(logs.facts, (await logs.facts.tail()).seq, no_progress)
    return await compare_formulas(season, MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED, no_progress)


class ByHand:
    """One formula, round by round, and what it foretold of each."""

    def __init__(self, formula: str, season: list[SessionSubmitted]) -> None:
        self.rating = dict.fromkeys(PLAYERS, 150_000)
        self.games = dict.fromkeys(PLAYERS, 0)
        self.forecasts: list[tuple[float, float]] = []
        for session in season:
            (played,) = session.rounds
            self._foretell(played.players, played.mahjongs)
            seats = [
                Seat(self.rating[who], self.games[who], won, 0)
                for who, won in zip(played.players, played.mahjongs, strict=True)
            ]
            changes = changes_centi(formula, tuple(seats), False)
            for who, change in zip(played.players, changes, strict=True):
                self.rating[who] += change
                self.games[who] += played.games_played

    def _foretell(self, players: tuple[str, ...], mahjongs: tuple[int, ...]) -> None:
        for one in range(4):
            for other in range(one + 1, 4):
                ahead = self.rating[players[one]] - self.rating[players[other]]
                expected = 1 / (1 + 10 ** (-ahead / 40_000))
                won = mahjongs[one] - mahjongs[other]
                self.forecasts.append((expected, 0.5 if not won else float(won > 0)))


async def test_two_formulas_are_compared_as_plain_arithmetic_does() -> None:
    season = a_season(500, seed=11)
    found = await compared([ADOPTED, *season])
    by_hand = [ByHand(ELO, season), ByHand(SCALED, season)]
    assert (found.rounds, found.pairs) == (500, 3000)
    for measured, plain in zip(found.formulas, by_hand, strict=True):
        losses = [-a * math.log(e) - (1 - a) * math.log(1 - e) for e, a in plain.forecasts]
        assert measured.log_loss == pytest.approx(mean(losses), abs=1e-6)
        squares = [(a - e) ** 2 for e, a in plain.forecasts]
        assert measured.brier == pytest.approx(mean(squares), abs=1e-6)
        both_sides = plain.forecasts + [(1 - e, 1 - a) for e, a in plain.forecasts]
        by_score = defaultdict(list)
        for expected, actual in both_sides:
            by_score[math.floor(expected * 20) / 20].append((expected, actual))
        assert [(each.low, each.count) for each in measured.curve] == [
            (low, len(some)) for low, some in sorted(by_score.items())
        ]
        for each in measured.curve:
            some = by_score[each.low]
            assert each.expected == pytest.approx(mean(e for e, _ in some), abs=1e-6)
            assert each.actual == pytest.approx(mean(a for _, a in some), abs=1e-6)
    evens = [(a - 0.5) ** 2 for _, a in by_hand[0].forecasts]
    assert found.even_brier == pytest.approx(mean(evens), abs=1e-6)
    assert found.even_log_loss == 0.693147
    check_moves(found, by_hand[0].rating, by_hand[1].rating)


def check_moves(found: FormulaComparison, before: dict[str, int], after: dict[str, int]) -> None:
    far = sorted(abs(after[who] - before[who]) for who in PLAYERS)
    assert (found.mahjic.players, found.mahjic.moved) == (40, sum(each > 0 for each in far))
    assert found.mahjic.mean_centi == pytest.approx(mean(far), abs=0.06)
    assert (found.mahjic.median_centi, found.mahjic.most_of_90_centi) == (far[19], far[35])
    assert (found.verified.players, found.verified.mean_centi) == (0, None)
    names = list(BAND_STARTS)

    def band(rating: int) -> str:
        return next(name for name in names if rating >= BAND_STARTS[name])

    assert [each.band for each in found.bands] == names
    told = 0
    for each in found.bands:
        inside = [who for who in PLAYERS if band(before[who]) == each.band]
        if 0 < len(inside) < 5:
            assert (each.players, each.up, each.down, each.mean_centi) == (None,) * 4
            continue
        assert each.players == len(inside)
        if not inside:
            continue
        told += 1
        counts = (
            sum(after[who] > before[who] for who in inside),
            sum(after[who] < before[who] for who in inside),
            sum(band(after[who]) != each.band for who in inside),
        )
        withheld = tuple(None if 0 < count < 5 else count for count in counts)
        assert (each.up, each.down, each.in_another_band) == withheld
        moves = [abs(after[who] - before[who]) for who in inside]
        assert each.mean_centi == pytest.approx(mean(moves), abs=0.06)
    assert told >= 3
    moves_centi = [after[who] - before[who] for who in PLAYERS]
    for bar in found.bars[11:]:  # Those above the middle one, whose halves belong to nobody else.
        inside_bar = sum(100 * bar.low <= move < 100 * bar.high for move in moves_centi)
        assert bar.players == (None if 0 < inside_bar < 5 else inside_bar)


async def test_one_forecast_is_measured_as_by_hand() -> None:
    # Nobody could foretell the first; then Ada is 32 points ahead, by the other formula too, as
    # there is one opponent to divide by.
    twice = [a_session(a_round({"ada": 1, "bo": 0}), name=f"s-{number}") for number in (1, 2)]
    found = await compared([ADOPTED, *twice])
    first, second = found.formulas
    assert first.log_loss == second.log_loss == 0.649213  # (0.693147 + 0.605279) / 2.
    assert first.brier == 0.228093  # (0.25 + 0.454078 * 0.454078) / 2.
    # Two people are too few for anything to be told of them.
    assert (found.mahjic.players, found.mahjic.mean_centi) == (None, None)
    assert not any(each.players for each in found.bars)


async def test_nothing_was_played_and_the_page_is_there() -> None:
    found = await compared([ADOPTED])
    assert (found.pairs, found.mahjic.players, found.even_brier) == (0, 0, None)
    assert b"compared</h1>" in comparison_page(found)


async def run(database: Database, *arguments: str) -> Ended:
    return await end_of(
        await start("formula", "compare", *arguments, MAHJIC_DATABASE_URL=database.dsn)
    )


async def test_the_command_gives_the_same_bytes_twice_and_touches_nothing(
    rated: Database, tmp_path: Path
) -> None:
    before = await everything(rated)
    both = (MAHJIC_ELO_1.name, MAHJIC_ELO_2_SCALED.name)
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    ended = [await run(rated, *both, "--json", "--out", str(page)) for page in pages]
    assert [each.exit_code for each in ended] == [0, 0], ended[0].stderr
    assert ended[0].stdout == ended[1].stdout
    assert pages[0].read_bytes() == pages[1].read_bytes()
    told = orjson.loads(ended[0].stdout)
    assert [each["formula"] for each in told["formulas"]] == list(both)
    page = pages[0].read_text()
    ids = [
        row["player_id"] for row in await rated.pool.fetch("SELECT player_id FROM mahjic.players")
    ]
    assert len(ids) > 10
    assert not [each for each in ids if each in page or each in ended[0].stdout]
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    shown = await run(rated, *both)
    heads = [table.split("\t")[0].strip() for table in shown.stdout.split("\n\n")]
    assert heads == ["formula", "pool", "band"]
    assert "always even\t0.69315" in shown.stdout
    assert await everything(rated) == before


async def test_a_page_that_cannot_be_written_is_told_before_the_work(
    rated: Database, tmp_path: Path
) -> None:
    nowhere = str(tmp_path / "none" / "page.html")
    refused = await run(rated, MAHJIC_ELO_1.name, MAHJIC_ELO_1.name, "--out", nowhere)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("page_not_written: ")
