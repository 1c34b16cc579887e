"""What the standings of a club must say, worked out from what the club was told, night by night.

It keeps a list of seats for each session that counts, and adds them up anew each time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from services.site.kit.words import MINUS

PLAIN = str.maketrans({MINUS: "-", ",": None, "+": None, "\N{PLUS-MINUS SIGN}": None})


@dataclass
class Seat:
    """Somebody in a round, by the address that was sent; no change if it was rated for another."""

    who: str
    games: int
    won: int
    points: Decimal | None
    change: Decimal | None


@dataclass
class Line:
    """A line of the standings."""

    games: int = 0
    won: int = 0
    points: Decimal | None = None
    change: Decimal = Decimal()
    days: set[str] = field(default_factory=set)

    @property
    def rate(self) -> Decimal:
        share = Decimal(100 * self.won) / Decimal(self.games)
        return share.quantize(Decimal("0.1"), ROUND_HALF_UP)

    def exact(self, by: str) -> tuple[bool, Decimal]:
        """Return what it is ranked by; who has nothing comes last."""
        numbers = {
            "points": self.points,
            "won": Decimal(self.won),
            # Two shares of at most some hundred games differ in far fewer digits.
            "win_rate": (Decimal(self.won) / Decimal(self.games)).quantize(Decimal("1e-20")),
            "games": Decimal(self.games),
            "rating_change": self.change,
        }
        number = numbers[by]
        return number is not None, number or Decimal()


@dataclass
class Books:
    """The sessions of a club that count, by their ids, with their days; and who is merged."""

    sessions: dict[str, tuple[str, list[Seat]]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)

    def write(self, told: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
        """Take in a session as its answer told it; it may take the place of another."""
        seats = [
            Seat(
                sent["email"].removeprefix("PRIVATE:").removeprefix("ANON:"),
                sent["games_played"],
                sent["mahjongs"],
                None if "points" not in sent else Decimal(str(sent["points"])),
                Decimal(str(result["rating_change"])),
            )
            for asked, answered in zip(claim["rounds"], told["rounds"], strict=True)
            for sent, result in zip(asked["players"], answered["results"], strict=True)
        ]
        self.sessions[told["session_id"]] = (claim["session_date"], seats)

    def strike(self, session_id: str) -> None:
        del self.sessions[session_id]

    def reseat(self, session_id: str, who: str, whom: str) -> None:
        for seat in self.sessions[session_id][1]:
            if seat.who == who:
                seat.who, seat.change = whom, None

    def read_as(self, who: str) -> str:
        while who in self.links:
            who = self.links[who]
        return who

    def seated(self, session_id: str) -> set[str]:
        return {seat.who for seat in self.sessions[session_id][1]}

    def standings(self, first: str, last: str) -> dict[str, Line]:
        """Return the lines between two days, by whom they are read as."""
        lines: dict[str, Line] = {}
        for day, seats in self.sessions.values():
            for seat in seats if first <= day <= last else ():
                if seat.who == "bob@mahjic.org" or seat.who in self.forgotten:
                    continue
                line = lines.setdefault(self.read_as(seat.who), Line())
                line.games += seat.games
                line.won += seat.won
                line.days.add(day)
                if seat.points is not None:
                    line.points = (line.points or Decimal()) + seat.points
                line.change += seat.change or Decimal()
        return lines

    def count(self, first: str, last: str) -> int:
        return sum(first <= day <= last for day, _ in self.sessions.values())


def shown_lines(
    lines: Mapping[str, Line], by: str, names: Mapping[str, str]
) -> set[tuple[str, ...]]:
    """Return what each line of the page must say, place first."""
    return {
        (
            "" if not line.exact(by)[0] else str(place_of(line, lines.values(), by)),
            names[who],
            *numbers_of(line),
        )
        for who, line in lines.items()
    }


def place_of(line: Line, lines: Iterable[Line], by: str) -> int:
    """Return one more than how many are better."""
    return 1 + sum(other.exact(by) > line.exact(by) for other in lines)


def numbers_of(line: Line) -> Sequence[str]:
    points = "" if line.points is None else f"{line.points.normalize():f}"
    change = f"{line.change:.2f}" if line.change else "0"
    return (points, str(line.won), f"{line.rate}%", str(line.games), change, str(len(line.days)))
