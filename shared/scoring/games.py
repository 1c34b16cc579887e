"""Makes the claims of sessions from games that were scored under a rule book.

Games of one date are one session. In it, the games of the same people are one round, wherever they
sat: spec 5, from games to a session.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from shared.limits import GAMES_MAX, POINTS_MAX, ROUNDS_MAX, TEXT_CHARACTERS_MAX
from shared.scoring.mistakes import SHARED_MAILBOX, InvalidScores, ScoreFileMistake

GameType: TypeAlias = Literal["social", "league", "tournament"]
Claim: TypeAlias = dict[str, Any]
# The same people at a table, whatever their names in the file are and wherever they sit.
Group: TypeAlias = frozenset[str]
Rounds: TypeAlias = dict[Group, list["Game"]]


@dataclass(frozen=True, slots=True)
class Game:
    """One game: who sat there, in seating order, who won it if anyone, and what each got.

    `points` has a number for every player, above 0 for what came in; they sum to zero, but for what
    went into a pot or came out of one. `line` is where the game is in its file, from 1; it
    locates what is wrong with the game later.
    """

    players: tuple[str, ...]
    date: date | None
    winner: str | None
    points: Mapping[str, Fraction]
    line: int = 1


@dataclass(frozen=True, slots=True)
class ScoredGames:
    """All games in a file, in the form that every rule book gives.

    `players` are all who are named, in order of first appearance, with those who never played.
    `impossible_dates` are lines of dates that no calendar has: they matter to a session alone.
    """

    players: tuple[str, ...]
    games: tuple[Game, ...]
    impossible_dates: tuple[ScoreFileMistake, ...] = ()


def sessions_of(
    scored: ScoredGames,
    addresses: Mapping[str, str],
    *,
    game_type: GameType,
    session_date: date | None = None,
    source_id: str | None = None,
) -> list[Claim]:
    """Return a claim of spec 4 for each date, in the order of the file.

    `addresses` gives an email address, `PRIVATE:` or `ANON:` for the name of everyone who played,
    in one spelling for each person; `session_date` is the date of games that have none. Raises
    InvalidScores with all mistakes.
    """
    addresses = _by_name(scored.players, addresses)
    mistakes = [*scored.impossible_dates, *_not_whole(scored, addresses, session_date)]
    if mistakes:
        raise InvalidScores(mistakes)
    sessions: dict[date, Rounds] = {}
    for game in scored.games:
        day = game.date or session_date
        assert day is not None
        group = frozenset(addresses[name] for name in game.players)
        sessions.setdefault(day, {}).setdefault(group, []).append(game)
    mistakes = [*_beyond_limits(sessions), *_odd_points(sessions, addresses)]
    if mistakes:
        raise InvalidScores(mistakes)
    return [
        {
            **({} if source_id is None else {"source_id": source_id}),
            "session_date": day.isoformat(),
            "game_type": game_type,
            "rounds": [_round(games, addresses) for games in rounds.values()],
        }
        for day, rounds in sessions.items()
    ]


def _by_name(names: Iterable[str], addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the address of each name that has one, also where its accents are encoded apart."""
    composed = {_composed(name): said for name, said in addresses.items()}
    either = {**composed, **addresses}  # A name that is there as written needs no other form.
    forms = {name: name if name in addresses else _composed(name) for name in names}
    return {name: either[form] for name, form in forms.items() if form in either}


def _composed(name: str) -> str:
    is_short = len(name) <= TEXT_CHARACTERS_MAX
    return unicodedata.normalize("NFC", name) if is_short else name


def _not_whole(
    scored: ScoredGames, addresses: Mapping[str, str], session_date: date | None
) -> Iterator[ScoreFileMistake]:
    """Yield what a session needs but the games lack."""
    if not scored.games:
        yield ScoreFileMistake(None, "no_games", "There is no game here to make a session from.")
    undated = next((game for game in scored.games if game.date is None), None)
    if undated is not None and session_date is None and not scored.impossible_dates:
        what = (
            "This game has no date; write one above it (YYYY-MM-DD), or give one for all games "
            "without a date."
        )
        yield ScoreFileMistake(undated.line, "no_date", what, "/session_date")
    played = dict.fromkeys(name for game in scored.games for name in game.players)
    if missing := [name for name in played if name not in addresses]:
        what = f"There is no address for {', '.join(missing)}. Say who each of them is."
        yield ScoreFileMistake(None, "no_address", what, "/players")
    for table in {game.players: game for game in reversed(scored.games)}.values():
        first: dict[str, str] = {}
        for name in (name for name in table.players if name in addresses):
            other = first.setdefault(addresses[name], name)
            if other != name:
                what = f"{other} and {name} have the same address. {SHARED_MAILBOX}"
                yield ScoreFileMistake(table.line, "player_twice", what, "/players")


def shared_addresses(
    scored: ScoredGames, addresses: Mapping[str, str]
) -> Iterator[ScoreFileMistake]:
    """Yield each address shared by names that never met: it counts as one player.

    `addresses` are those that the sessions were made with. Names that met are refused elsewhere.
    """
    addresses = _by_name(scored.players, addresses)
    first: dict[str, str] = {}
    lines = {name: game.line for game in reversed(scored.games) for name in game.players}
    for name in (name for name in scored.players if name in lines and name in addresses):
        other = first.setdefault(addresses[name], name)
        if other != name:
            what = (
                f"{other} (line {lines[other]}) and {name} have the same address, and count as one "
                f"player. {SHARED_MAILBOX}"
            )
            yield ScoreFileMistake(lines[name], "one_address_two_names", what, "/players")


def _beyond_limits(sessions: Mapping[date, Rounds]) -> Iterator[ScoreFileMistake]:
    """Yield the first game over the limit in each session and round."""
    for day, rounds in sessions.items():
        tables = list(rounds.values())
        if len(tables) > ROUNDS_MAX:
            what = (
                f"On {day}, more than {ROUNDS_MAX} groups play; a session cannot have more rounds "
                "than that."
            )
            yield ScoreFileMistake(tables[ROUNDS_MAX][0].line, "too_many_rounds", what)
        for games in tables:
            if len(games) > GAMES_MAX:
                who = ", ".join(games[0].players)
                what = (
                    f"On {day}, {who} play more than {GAMES_MAX} games; a round cannot have more."
                )
                yield ScoreFileMistake(games[GAMES_MAX].line, "too_many_games", what)


def _odd_points(
    sessions: Mapping[date, Rounds], addresses: Mapping[str, str]
) -> Iterator[ScoreFileMistake]:
    """Yield the totals too large for a claim, naming the player."""
    for day, rounds in sessions.items():
        for games in rounds.values():
            names = {addresses[name]: name for name in games[0].players}
            for address, points in _totals(games, addresses).items():
                who, last = f"{names[address]} on {day}", games[-1].line
                if (points * 100).denominator != 1:
                    what = f"The total of {who}, {float(points)}, has more than two decimals."
                    yield ScoreFileMistake(last, "points_too_precise", what)
                elif abs(points) > POINTS_MAX:
                    what = f"The total of {who} is beyond {POINTS_MAX} points."
                    yield ScoreFileMistake(last, "out_of_range", what)


def _round(games: Sequence[Game], addresses: Mapping[str, str]) -> Claim:
    """Return the round that some people played, in the seating order of its first game."""
    seats = [addresses[name] for name in games[0].players]
    mahjongs = dict.fromkeys(seats, 0)
    for game in games:
        if game.winner is not None:
            mahjongs[addresses[game.winner]] += 1
    points = _totals(games, addresses)
    return {
        "players": [
            {
                "email": address,
                "games_played": len(games),
                "mahjongs": mahjongs[address],
                "points": _json_number(points[address]),
            }
            for address in seats
        ],
        # No one has a mahjong in a game with a false win either.
        "wall_games": len(games) - sum(mahjongs.values()),
    }


def _totals(games: Iterable[Game], addresses: Mapping[str, str]) -> dict[str, Fraction]:
    totals: dict[str, Fraction] = {}
    for game in games:
        for name, points in game.points.items():
            address = addresses[name]
            totals[address] = totals.get(address, Fraction(0)) + points
    return totals


def _json_number(points: Fraction) -> int | float:
    return points.numerator if points.denominator == 1 else float(points)
