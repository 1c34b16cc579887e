"""Tells the demo to a person: whole sentences, tables that fit, and nothing else."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from services.cli.demo.league_night import LEAGUE_NIGHT
from services.cli.demo.season import DemoSeason
from services.cli.demo.served import TemporaryService
from services.cli.reading.why import reason_rows
from services.cli.terminal.chart import draw_chart
from services.cli.terminal.output import or_dash, points, say, show_framed, signed
from services.projections.history.answers import Change, PoolReason, Why
from services.projections.leaderboards.answers import Board
from services.projections.profiles.answers import Profile
from shared.answers import SessionAnswer

COLUMNS_MAX: Final = 88
CHART_ROWS: Final = 9
CHART_COLUMNS_MAX: Final = 64
CHART_COLUMNS_MIN: Final = 16
# What is to the left of the line: the rating and the axis.
CHART_MARGIN: Final = 9

SERVE: Final = (
    "serve",
    'source add my-club --name "My Club" --type club',
    "key create my-club",
)
USE: Final = ("submit night.json", "leaderboard", "player ID", "why CHANGE")


class Story:
    """Writes the demo's chapters to stdout."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False)
        self._console.width = min(self._console.width, COLUMNS_MAX)
        # A table ends with an empty line of its own.
        self._is_after_table = False

    def tell_beginning(self) -> None:
        """Say what is going to be seen."""
        self._console.print("Mahjic: the open skill rating for American Mahjong", style="bold")
        self._write(
            "This demo runs a real service for a moment. The people in it are made up; the "
            "ratings are computed like any others."
        )

    def tell_service(self, service: TemporaryService, took_s: float) -> None:
        self._write(
            f"The service runs on {service.url}, with its own PostgreSQL in a temporary folder. "
            f"It started in {took_s:.1f} s."
        )

    def tell_league_night(self, answer: SessionAnswer) -> None:
        """Show the answer to the first session."""
        self._head("A league night")
        first = LEAGUE_NIGHT["rounds"][0]
        self._write(
            f"The Columbus Mahjong League submits its night of {LEAGUE_NIGHT['session_date']}: "
            f"{len(answer['results'])} people, two rounds of {first['players'][0]['games_played']} "
            "games. No one has played before, so everyone starts at 1500. The answer:"
        )
        rows = [
            (
                moved["player"] or moved["player_id"],
                or_dash(moved["mahjic_id"]),
                points(moved["rating_before"]),
                points(moved["rating_after"]),
                signed(moved["rating_change"]),
            )
            for moved in answer["results"]
        ]
        columns = ("player", "mahjic_id", "before", "after", "change")
        self._table(columns, rows, numbers=columns[2:], spare=("before", "mahjic_id"))
        for message in dict.fromkeys(warning["message"] for warning in answer["warnings"]):
            self._write(f"Warning: {message}")

    def tell_season(self, season: DemoSeason, seed: int) -> None:
        """Say what is going to be played."""
        self._head("A season")
        first, last = season.sessions[0].session_date, season.sessions[-1].session_date
        self._write(
            f"A league, a club and an online platform submit what they play from {first} to "
            f"{last}, made up from seed {seed}. One of the people is private, two are "
            "anonymous, and at some tables the imaginary Bob fills a seat. From time to time, "
            "the operator verifies someone."
        )

    def tell_season_over(self, season: DemoSeason, took_s: float) -> None:
        rounds = [each for session in season.sessions for each in session.rounds]
        games = sum(each["players"][0]["games_played"] for each in rounds)
        self._write(
            f"That was {len(season.sessions)} sessions with {len(rounds)} rounds and {games:,} "
            f"games, sent one after the other in {took_s:.1f} s; each was answered with the "
            "ratings of everyone in it."
        )

    def tell_board(
        self, board: Board, strengths: Mapping[str, float], mahjic_ids: Mapping[str, str]
    ) -> None:
        """Show who leads, next to the strength that the service does not know."""
        self._head("The leaderboard")
        self._write(
            "Verified players, ranked by their games among each other. Until someone chooses a "
            "name, their Mahjic ID is shown. The last column is the demo's secret: how strong "
            "it made each of the 30 people, from 0 to 100."
        )
        secret = {mahjic_ids[who]: strengths[who] for who in mahjic_ids}
        weakest, strongest = min(strengths.values()), max(strengths.values())
        rows = [
            (
                str(player["place"]),
                player["name"],
                points(player["verified_rating"]),
                player["band"],
                str(player["verified_games"]),
                f"{100 * (secret[player['player_id']] - weakest) / (strongest - weakest):.0f}",
            )
            for player in board["players"]
        ]
        columns = ("place", "player", "rating", "band", "games", "strength")
        numbers = ("place", "rating", "games", "strength")
        self._table(columns, rows, numbers=numbers, spare=("games", "band"))

    def tell_player(self, profile: Profile, newest_first: Sequence[Change]) -> None:
        """Show the rating of Alice from the league night, and how she got there."""
        self._head("A player")
        place = "not on the leaderboard"
        if profile["global_rank"] is not None:
            place = f"place {profile['global_rank']} on the leaderboard"
        self._write(
            f"{profile['player_id']} is Alice from the league night: {profile['tier']}, {place}. "
            f"She is at {points(profile['rating'])} ({profile['band']}) after "
            f"{profile['games']} games, and at {points(profile['verified_rating'])} after the "
            f"{profile['verified_games']} of them among Verified players."
        )
        changes = newest_first[::-1]
        width = self._console.width - CHART_MARGIN
        lines = draw_chart(
            [
                changes[0]["mahjic"]["rating_before"],
                *(each["mahjic"]["rating_after"] for each in changes),
            ],
            columns=max(CHART_COLUMNS_MIN, min(CHART_COLUMNS_MAX, width)),
            rows=CHART_ROWS,
            first=str(changes[0]["session_date"]),
            last=str(changes[-1]["session_date"]),
        )
        self._lines(lines)

    def tell_why(self, reason: Why) -> None:
        """Show why Alice's rating moved, in lines that add up exactly."""
        self._head("Why did it change?")
        pool = reason["mahjic"]
        self._write(
            f"On {reason['session_date']} at {reason['source']['name']}, in round "
            f"{reason['round_number']}, Alice won {reason['mahjongs']} of {reason['games_played']} "
            f"games and moved by {signed(pool['rating_change'])}, from "
            f"{points(pool['rating_before'])} to {points(pool['rating_after'])}. She is compared "
            "with each opponent: k times (actual - expected), plus a bonus for points. The lines "
            "add up to the change, exactly:"
        )
        columns = ("opponent", "rating", "expected", "actual", "k", "bonus", "gain")
        rows = [cells for _, *cells in reason_rows("mahjic", pool)]
        spare = ("k", "bonus", "actual", "expected", "rating")
        self._table(columns, rows, numbers=columns[1:], spare=spare)
        self._write(_verified_sentence(reason["verified"]))

    def tell_site(self, service: TemporaryService) -> None:
        """Say where the site is, as long as it is there."""
        self._head("The site")
        self._write(
            f"All of this is on the site of this service: {service.site_url}. Open it in a "
            "browser on this machine. The service runs until you press Enter."
        )

    def tell_end(self) -> None:
        """Say that nothing is left, and where to go next."""
        self._head("Where to go next")
        mahjic = _command()
        self._write("The service has stopped, and its folder is gone. To run it for real:")
        self._lines(f"  {mahjic} {arguments}" for arguments in SERVE)
        self._write("Then, with MAHJIC_KEY set to the key that the last one prints:")
        self._lines(f"  {mahjic} {arguments}" for arguments in USE)
        self._write(
            "README.md shows how to submit with curl, and docs/running.md how to run Mahjic "
            "for others; docs/rating.md explains the formula for players with a calculator."
        )

    def _head(self, title: str) -> None:
        self._lines(())
        self._console.rule(title, align="left", style="cyan")

    def _write(self, text: str) -> None:
        wrapped = textwrap.wrap(
            text, self._console.width, break_long_words=False, break_on_hyphens=False
        )
        self._lines(wrapped)

    def _lines(self, lines: Iterable[str]) -> None:
        if not self._is_after_table:
            say("")
        self._is_after_table = False
        for line in lines:
            say(line)

    def _table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        numbers: Sequence[str],
        spare: Sequence[str],
    ) -> None:
        show_framed(columns, rows, numbers=numbers, spare=spare)
        self._is_after_table = True


def _verified_sentence(pool: PoolReason) -> str:
    if not pool["counted"]:
        return "The round did not count among Verified players: there were too few at the table."
    return (
        "Among the Verified players at the table it moved her verified rating by "
        f"{signed(pool['rating_change'])}, from {points(pool['rating_before'])} to "
        f"{points(pool['rating_after'])}."
    )


def _command() -> str:
    """Return how to call this command from here."""
    called = Path(sys.argv[0])
    if called.name != "mahjic" or shutil.which("mahjic") is not None:
        return "mahjic"
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)
