"""Works out by hand, from the raw bytes of the facts alone, everything that must follow from them.

Nothing of the service is used: json, hashlib, and the second rater of tests/rater.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import asyncpg

from tests.rater.by_hand import RaterByHand

# Of a seat: before, change and games after in the mahjic pool, then the same in the verified pool.
Numbers = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it stands on a log, and what its bytes say."""

    seq: int
    chain: bytes
    body: bytes
    says: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """What the event says, without its envelope."""
        data: dict[str, Any] = self.says["data"]
        return data


@dataclass(frozen=True, slots=True)
class Logs:
    """Both logs of a database, from the first record to the last."""

    log_id: str
    facts: Sequence[Line]
    verdicts: Sequence[Line]

    @property
    def session_facts(self) -> list[dict[str, Any]]:
        """What the facts say about sessions, in order."""
        return [fact.data for fact in self.facts if fact.says["type"] == "session-submitted.v1"]


async def read_logs(pool: asyncpg.Pool) -> Logs:
    """Read both logs straight from their tables."""
    facts, verdicts = await read_table(pool, "facts"), await read_table(pool, "verdicts")
    return Logs(await read_log_id(pool), facts, verdicts)


async def read_table(pool: asyncpg.Pool, log_name: str) -> list[Line]:
    """Read a log straight from its table."""
    rows = await pool.fetch(f"SELECT seq, chain, body FROM mahjic.{log_name} ORDER BY seq")
    return [line_of(row["seq"], row["chain"], row["body"]) for row in rows]


async def read_log_id(pool: asyncpg.Pool) -> str:
    """Return what the logs of a database are called."""
    log_id: str = await pool.fetchval("SELECT log_id FROM mahjic.head")
    return log_id


def line_of(seq: int, chain: bytes, body: bytes) -> Line:
    """Return a record with what its bytes say."""
    return Line(seq, chain, body, json.loads(body))


def assert_chained(log_id: str, log_name: str, lines: Sequence[Line]) -> None:
    """Check that records are numbered without a gap, each chained to all before it."""
    misplaced = [
        (place, line.seq, lines.count(line))
        for place, line in enumerate(lines, start=1)
        if line.seq != place
    ]
    assert not misplaced, f"{log_name}: place, seq and how often of {misplaced[:20]}"
    chain = hashlib.sha256(f"/logs/{log_id}/{log_name}".encode()).digest()
    for line in lines:
        chain = hashlib.sha256(chain + line.body).digest()
        assert line.chain == chain, f"record {line.seq} of {log_name}"


@dataclass
class Replay:
    """The history told again: each session's numbers per round and seat, and where all ended."""

    rater: RaterByHand = field(default_factory=RaterByHand)
    sessions: dict[str, list[list[Numbers]]] = field(default_factory=dict)

    def take(self, fact: Line) -> None:
        """Take in the next fact."""
        kind, data = fact.says["type"], fact.data
        if kind == "player-verified.v1":
            self.rater.verified.add(data["player_id"])
        elif kind == "player-verification-ended.v1":
            self.rater.verified.discard(data["player_id"])
        elif kind == "session-submitted.v1":
            self.sessions[data["session_id"]] = [
                self._play(played, data["game_type"]) for played in data["rounds"]
            ]
        else:
            assert kind == "formula-adopted.v1", kind

    def _play(self, played: Mapping[str, Any], game_type: str) -> list[Numbers]:
        mahjongs = dict(zip(played["players"], played["mahjongs"], strict=True))
        points = None
        if game_type != "social":
            points = [Fraction(centi, 100) for centi in played["points_centi"]]
        return self.rater.play(mahjongs, played["games_played"], points)

    def standing(self, player_id: str) -> dict[str, Any]:
        """Return what a profile must say of a player."""
        rating, games = self.rater.everybody.standing(player_id)
        verified_rating, verified_games = self.rater.verified_pool.standing(player_id)
        return {
            "is_verified": player_id in self.rater.verified,
            "rating": rating,
            "games": games,
            "verified_rating": verified_rating,
            "verified_games": verified_games,
        }


def replayed(facts: Sequence[Line]) -> Replay:
    """Tell a history again from the beginning."""
    replay = Replay()
    for fact in facts:
        replay.take(fact)
    return replay


def numbers_in(rated: Mapping[str, Any]) -> list[Numbers]:
    """Return the numbers of a round as a verdict has them, in hundredths, by seat."""
    columns = (
        [Fraction(centi, 100) for centi in rated["rating_before"]],
        [Fraction(centi, 100) for centi in rated["rating_change"]],
        rated["games_after"],
        [Fraction(centi, 100) for centi in rated["verified_rating_before"]],
        [Fraction(centi, 100) for centi in rated["verified_rating_change"]],
        rated["verified_games_after"],
    )
    return list(zip(*columns, strict=True))


def answer_by_hand(
    fact: Mapping[str, Any], claim: Mapping[str, Any], numbers: list[list[Numbers]]
) -> dict[str, Any]:
    """Return the answer that a claim must get for the fact that it became."""
    names: dict[str, str] = {}
    rounds = []
    for played, claimed, seats in zip(fact["rounds"], claim["rounds"], numbers, strict=True):
        for player_id, player in zip(played["players"], claimed["players"], strict=True):
            names.setdefault(player_id, player["email"])
        results = [
            _seat(player_id, names[player_id], player, number)
            for player_id, player, number in zip(
                played["players"], claimed["players"], seats, strict=True
            )
        ]
        games = claimed["players"][0]["games_played"]
        # Nothing on record was like it when it came first; that is told for good.
        rounds.append(
            {
                "games_played": games,
                "wall_games": claimed["wall_games"],
                "on_record": False,
                "results": results,
            }
        )
    return {
        "session_id": fact["session_id"],
        "status": "rated",
        "results": _results([seat for each in rounds for seat in each["results"]], fact),
        "rounds": rounds,
    }


def _seat(player_id: str, name: str, player: Mapping[str, Any], number: Numbers) -> dict[str, Any]:
    before, change, games, verified_before, verified_change, verified_games = number
    claimed_points = player.get("points")
    return {
        "player_id": player_id,
        "mahjic_id": player_id if player_id.startswith("MJ-") else None,
        "player": name,
        "mahjongs": player["mahjongs"],
        "points": None if claimed_points is None else Fraction(str(claimed_points)),
        "rating_before": before,
        "rating_change": change,
        "rating_after": before + change,
        "verified_rating_before": verified_before,
        "verified_rating_change": verified_change,
        "verified_rating_after": verified_before + verified_change,
        "games_played_total": games,
        "verified_games_played_total": verified_games,
    }


def _results(seats: Sequence[Mapping[str, Any]], fact: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Sum the seats up per player, in order of first appearance."""
    results: dict[str, dict[str, Any]] = {}
    for seat in seats:
        player_id = seat["player_id"]
        result = results.setdefault(
            player_id,
            {
                **{name: seat[name] for name in ("player_id", "mahjic_id", "player")},
                "is_new_player": player_id in fact["new_players"],
                "rating_before": seat["rating_before"],
                "rating_change": Fraction(0),
                "verified_rating_before": seat["verified_rating_before"],
                "verified_rating_change": Fraction(0),
            },
        )
        for name in ("rating_change", "verified_rating_change"):
            result[name] += seat[name]
        for name in ("rating_after", "verified_rating_after"):
            result[name] = seat[name]
        for name in ("games_played_total", "verified_games_played_total"):
            result[name] = seat[name]
    return list(results.values())
