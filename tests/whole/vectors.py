"""The rating history of tests/vectors, let happen over HTTP, and what must be seen of it then.

The numbers come from an implementation of their own; every one of them must come out exactly.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx

HISTORY = Path(__file__).parents[1] / "vectors/rating_history.json"
STEPS: list[dict[str, Any]] = json.loads(HISTORY.read_text(encoding="utf-8"))["steps"]
FIRST_DATE = date(2020, 1, 1)
BOB = "BOB"
ROUNDS = [step for step in STEPS if step["op"] == "round"]
LABELS = sorted({seat["player"] for step in ROUNDS for seat in step["players"]} - {BOB})
WHEN = ("before", "change", "after")
RATINGS = tuple(f"{pool}rating_{when}" for pool in ("", "verified_") for when in WHEN)


@dataclass
class Played:
    """The vectors as the service answered them: the sessions, and the id behind each label.

    The keys are those of a source and of the operator.
    """

    http: httpx.AsyncClient
    source_key: str
    operator_key: str
    answers: list[dict[str, Any]] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)

    async def take_all(self) -> None:
        """Let all steps happen in their order."""
        for number, step in enumerate(STEPS):
            await self.take(number, step)

    async def take(self, number: int, step: dict[str, Any]) -> None:
        """Let one step happen, over HTTP."""
        if step["op"] == "round":
            claim = a_session(number, step)
            answer = await self.call("POST", "/v1/sessions", self.source_key, claim)
            self.answers.append(answer)
            for seat, result in zip(step["players"], answer["results"], strict=True):
                player_id = result["player_id"]
                assert self.ids.setdefault(seat["player"], player_id) == player_id
            return
        label = step["player"]
        if label not in self.ids:
            person = {"email": email(label)}
            registered = await self.call("POST", "/v1/admin/players", self.operator_key, person)
            self.ids[label] = registered["player_id"]
        path = f"/v1/admin/players/{self.ids[label]}/verification"
        await self.call("PUT", path, self.operator_key, {"verified": step["op"] == "verify"})

    async def call(self, method: str, path: str, key: str, body: object) -> dict[str, Any]:
        """Call the service with a key, and return the answer with exact numbers."""
        bearer = {"Authorization": f"Bearer {key}"}
        response = await self.http.request(method, path, json=body, headers=bearer)
        assert response.status_code in {200, 201}, response.text
        return exact(response)

    async def get(self, path: str) -> dict[str, Any]:
        """Look something up as the public does."""
        response = await self.http.get(path)
        assert response.status_code == 200, response.text
        return exact(response)

    async def whole_history(self, player_id: str) -> list[dict[str, Any]]:
        """Return all changes of a player over all pages, the oldest first."""
        path = f"/v1/players/{player_id}/history?limit=40"
        page = await self.get(path)
        changes: list[dict[str, Any]] = page["changes"]
        while page["next_cursor"] is not None:
            page = await self.get(f"{path}&cursor={page['next_cursor']}")
            changes += page["changes"]
        return changes[::-1]


def exact(response: httpx.Response) -> dict[str, Any]:
    """Read JSON with its decimals as fractions, so that nothing is rounded on the way."""
    answer: dict[str, Any] = json.loads(response.text, parse_float=Fraction)
    return answer


def email(label: str) -> str:
    return "bob@mahjic.org" if label == BOB else f"{label.lower()}@example.com"


def a_session(number: int, step: dict[str, Any]) -> dict[str, Any]:
    """Return a round of the vectors as a session; some are equal, so each has its own date."""
    players = []
    for seat in step["players"]:
        player = {
            "email": email(seat["player"]),
            "games_played": step["games_played"],
            "mahjongs": seat["mahjongs"],
        }
        if "points_centi" in seat:
            player["points"] = seat["points_centi"] / 100
        players.append(player)
    return {
        "session_date": str(FIRST_DATE + timedelta(days=number)),
        "game_type": step["game_type"],
        "rounds": [{"players": players, "wall_games": step["wall_games"]}],
    }


def expected_seats(step: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the numbers of a round by seat, under the names that an answer has for them."""
    return [
        {
            **{name: Fraction(seat[name], 100) for name in RATINGS},
            "games_played_total": seat["games_total"],
            "verified_games_played_total": seat["verified_games_total"],
        }
        for seat in step["expect"]
    ]


def flat(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change of a history under the names that an answer has for its numbers."""
    mahjic, verified = change["mahjic"], change["verified"]
    return {
        **{f"rating_{when}": mahjic[f"rating_{when}"] for when in WHEN},
        **{f"verified_rating_{when}": verified[f"rating_{when}"] for when in WHEN},
        "games_played_total": mahjic["games_after"],
        "verified_games_played_total": verified["games_after"],
    }


class EveryNumberComesOut:
    """What holds once all steps have happened; a file of tests gives the fixture `played`."""

    def test_every_number_of_every_round_comes_out_of_the_answers(self, played: Played) -> None:
        assert len(played.answers) == len(ROUNDS) == 400
        for number, (answer, step) in enumerate(zip(played.answers, ROUNDS, strict=True)):
            expected = expected_seats(step)
            (rated,) = answer["rounds"]
            for told in (rated["results"], answer["results"]):
                numbers = [{name: seat[name] for name in expected[0]} for seat in told]
                assert numbers == expected, f"round {number}"

    async def test_profiles_show_the_last_numbers(self, played: Played) -> None:
        last: dict[str, dict[str, Any]] = {}
        games: dict[str, int] = defaultdict(int)
        verified: set[str] = set()
        for step in STEPS:
            if step["op"] == "round":
                labels = [seat["player"] for seat in step["players"]]
                last.update(zip(labels, expected_seats(step), strict=True))
                for label in labels:
                    games[label] += 1
            else:
                (verified.add if step["op"] == "verify" else verified.discard)(step["player"])
        for label in LABELS:
            profile = await played.get(f"/v1/players/{played.ids[label]}")
            numbers = last[label]
            assert profile["rating"] == numbers["rating_after"]
            assert profile["games"] == numbers["games_played_total"]
            assert profile["verified_rating"] == numbers["verified_rating_after"]
            assert profile["verified_games"] == numbers["verified_games_played_total"]
            assert profile["is_verified"] == (label in verified)
            assert profile["sessions"] == games[label]

    async def test_histories_tell_every_change_and_their_sum_is_the_rating_now(
        self, played: Played
    ) -> None:
        expected: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for step in ROUNDS:
            for seat, numbers in zip(step["players"], expected_seats(step), strict=True):
                expected[seat["player"]].append(numbers)
        for label in LABELS:
            changes = await played.whole_history(played.ids[label])
            assert [flat(change) for change in changes] == expected[label]
            profile = await played.get(f"/v1/players/{played.ids[label]}")
            moved = sum(change["mahjic"]["rating_change"] for change in changes)
            verified_moved = sum(change["verified"]["rating_change"] for change in changes)
            assert 1500 + moved == profile["rating"]
            assert 1500 + verified_moved == profile["verified_rating"]

    def test_everybody_became_one_player_and_bob_none(self, played: Played) -> None:
        assert set(played.ids) == {*LABELS, BOB}
        assert played.ids[BOB] == BOB
        assert len(set(played.ids.values())) == len(played.ids)
