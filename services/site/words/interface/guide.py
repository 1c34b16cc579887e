"""The night of the ten-minute guide: what is sent, and what comes back. Pure.

What comes back is worked out by the rating itself, so the guide cannot promise other numbers than
the service gives.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.answers import points
from shared.rating.formula import Seat
from shared.rating.registry import MAHJIC_ELO_1, START_CENTI

GAMES: Final = 4
WALL_GAMES: Final = 0
# Address, games won, and points in hundredths.
TABLE: Final = (
    ("alice@example.com", 2, 12_500),
    ("bea@example.com", 1, 8_000),
    ("carol@example.com", 1, 4_500),
    ("PRIVATE:dave@example.com", 0, -25_000),
)
RECEIVER: Final = """\
cat > hook.py <<'HOOK'
from http.server import BaseHTTPRequestHandler, HTTPServer

class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        print(self.rfile.read(length).decode(), flush=True)
        self.send_response(204)
        self.end_headers()

HTTPServer(("127.0.0.1", 9000), Hook).serve_forever()
HOOK
python3 hook.py"""
SHOWN_KEYS: Final = ("player", "rating_before", "rating_after", "rating_change")


@dataclass(frozen=True, slots=True)
class Guide:
    """The body that the guide sends, and the part of the answer that it shows, both as JSON.

    `receiver` is a command that starts a server, which prints the events that are sent to it.
    """

    night: str
    answer: str
    receiver: str


def guide() -> Guide:
    """Return the night, and what comes back for people who have never played before."""
    return Guide(_compact(first_night()), _compact(first_answer()), RECEIVER)


def first_night() -> dict[str, Any]:
    """Return a league night of one table."""
    players = [
        {
            "email": email,
            "games_played": GAMES,
            "mahjongs": won,
            "points": points_centi // 100,
        }
        for email, won, points_centi in TABLE
    ]
    rounds = [{"players": players, "wall_games": WALL_GAMES}]
    return {"session_date": "2026-01-31", "game_type": "league", "rounds": rounds}


def first_answer() -> dict[str, Any]:
    """Return what the answer to it says about everyone's rating of all games."""
    seats = [Seat(START_CENTI, 0, won, points_centi) for _, won, points_centi in TABLE]
    changes = MAHJIC_ELO_1.rate_round(seats, points_count=True)
    results = [
        {
            "player": email,
            "rating_before": points(START_CENTI),
            "rating_after": points(START_CENTI + change),
            "rating_change": points(change),
        }
        for (email, _, _), change in zip(TABLE, changes, strict=True)
    ]
    return {"status": "rated", "results": results}


def _compact(document: dict[str, Any]) -> str:
    """Return JSON with one line for each person, which is how a reader looks at a table."""
    text = json.dumps(document, indent=2)
    for each in _people(document):
        text = text.replace(_indented(each, text), json.dumps(each))
    return text


def _people(document: dict[str, Any]) -> Sequence[dict[str, Any]]:
    people: list[dict[str, Any]] = document.get("results") or document["rounds"][0]["players"]
    return people


def _indented(each: dict[str, Any], text: str) -> str:
    """Return an object as it stands in an indented text."""
    for depth in range(2, 12, 2):
        written = json.dumps(each, indent=2).replace("\n", f"\n{' ' * depth}")
        if written in text:
            return written
    raise AssertionError("The object stands in the text.")
