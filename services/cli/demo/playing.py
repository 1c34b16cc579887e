"""Plays the demo's season over HTTP, session by session, and lets the operator verify people."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from services.cli.demo.doors import Doors
from services.cli.demo.people import PEOPLE, DemoPerson
from services.cli.demo.season import DemoSeason
from services.cli.demo.served import DemoFailed
from services.cli.nights.submit import submit_claim
from services.cli.terminal.client import path_of
from services.ingest.players.api import RegisteredPlayer
from services.projections.history.answers import Change, History, Why
from services.projections.leaderboards.answers import Board
from services.projections.profiles.answers import Profile
from shared.answers import SessionAnswer

RATED_S_MAX: Final = 20.0
VIEWS_S_MAX: Final = 10.0
LOOK_S: Final = 0.02
# The first fact of every log says which formula applies.
FOUNDING_FACTS: Final = 1


@dataclass(slots=True)
class DemoGame:
    """The demo so far: the doors it uses, and what is on record by now.

    `spelled` is how addresses in a text are sent.
    """

    doors: Doors
    spelled: Callable[[str], str] = str
    facts: int = FOUNDING_FACTS
    mahjic_ids: dict[str, str] = field(default_factory=dict)

    def submit(self, claim: Mapping[str, Any]) -> SessionAnswer:
        """Submit a session as its source, and return its ratings."""
        source, sent = self.doors.sources[claim["source_id"]], self.spelled(json.dumps(claim))
        content = submit_claim(source, sent.encode(), wait_s=RATED_S_MAX).content
        answer = source.read(SessionAnswer, content)
        if answer["status"] != "rated":
            raise DemoFailed(
                f"The session {answer['session_id']} is {answer['status']}, not rated."
            )
        self.facts += 1
        for moved in answer["results"]:
            if moved["player"] is not None and moved["mahjic_id"] is not None:
                self.mahjic_ids[moved["player"]] = moved["mahjic_id"]
        return answer

    def play(self, season: DemoSeason, show: Callable[[str, int, int], None]) -> None:
        """Submit a season in order, and verify people on their days."""
        waiting = [person for person in PEOPLE if person.verified_on is not None]
        for done, session in enumerate(season.sessions):
            show(f"{session.session_date} {session.source}", done, len(season.sessions))
            for person in [each for each in waiting if _is_due(each, session.session_date)]:
                waiting.remove(person)
                self._verify(person)
            self.submit(session.claim)
        assert not waiting, "Somebody is to be verified after the season."

    def board(self, *, limit: int) -> Board:
        """Return the leaderboard once it shows everything on record."""
        public = self.doors.public
        ends_at = time.monotonic() + VIEWS_S_MAX
        while True:
            board = public.read(Board, public.get(path_of("v1", "leaderboard"), limit=limit))
            if board["seq"] >= self.facts:
                return board
            if time.monotonic() > ends_at:
                raise DemoFailed(f"The views stand at fact {board['seq']} of {self.facts}.")
            time.sleep(LOOK_S)

    def profile(self, who: str) -> Profile:
        """Return someone's profile."""
        public = self.doors.public
        return public.read(Profile, public.get(self._path(who)))

    def changes(self, who: str, *, limit: int) -> list[Change]:
        """Return the rounds that moved someone, newest first; in a demo nothing else does."""
        public = self.doors.public
        history = public.read(History, public.get(self._path(who, "history"), limit=limit))
        return [each for each in history["changes"] if each["type"] == "round"]

    def why(self, who: str, change: Change) -> Why:
        """Return the reason of one of someone's changes."""
        public = self.doors.public
        return public.read(Why, public.get(self._path(who, "changes", change["change_id"])))

    def _path(self, who: str, *parts: str) -> str:
        return path_of("v1", "players", self.mahjic_ids[who], *parts)

    def _verify(self, person: DemoPerson) -> None:
        operator = self.doors.operator
        claim = self.spelled(json.dumps({"email": person.submitted_as})).encode()
        content = operator.content(operator.post("/v1/admin/players", claim, {}, wait_s=0))
        mahjic_id = operator.read(RegisteredPlayer, content)["mahjic_id"]
        path = path_of("v1", "admin", "players", mahjic_id, "verification")
        operator.put(path, b'{"verified": true}')
        self.facts += 1


def _is_due(person: DemoPerson, day: date) -> bool:
    return person.verified_on is not None and person.verified_on <= day
