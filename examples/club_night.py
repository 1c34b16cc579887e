"""Sends a night of a club from a CSV file, and prints everybody's rating.

    export MAHJIC_URL=http://127.0.0.1:8000 MAHJIC_KEY=mjk_...
    python club_night.py club_night.csv 2026-01-31

Sending the same file again is safe: the night counts once.
"""

import csv
import os
import sys
from pathlib import Path

from mahjic_client import Mahjic, MahjicError, Mistake, Refused
from mahjic_client.shapes import RoundClaim, SessionAnswer


def main() -> None:
    """Send the file named on the command line."""
    if len(sys.argv) != 3:
        sys.exit("Usage: python club_night.py FILE DATE")
    file, day = Path(sys.argv[1]), sys.argv[2]
    rounds, lines = read_night(file)
    with Mahjic(os.environ["MAHJIC_URL"], key=os.environ["MAHJIC_KEY"]) as mahjic:
        try:
            night = mahjic.submit_session(
                session_date=day, game_type="social", rounds=rounds, whole_night=True
            )
        except Refused as refused:
            sys.exit("\n".join(told(refused, lines)))
        except MahjicError as error:
            sys.exit(str(error))
    print_ratings(night)


def read_night(file: Path) -> tuple[list[RoundClaim], dict[str, int]]:
    """Return the rounds of a night, and on which line of the file each seat stands.

    Seats are named as Mahjic names them in what it refuses: /rounds/0/players/2.
    """
    rounds: dict[str, RoundClaim] = {}
    lines: dict[str, int] = {}
    with file.open(newline="", encoding="utf-8-sig") as text:
        for row in (reader := csv.DictReader(text)):
            name = row["round"]
            if name not in rounds:
                rounds[name] = {"players": [], "wall_games": int(row["wall games"])}
            players = rounds[name]["players"]
            lines[f"/rounds/{list(rounds).index(name)}/players/{len(players)}"] = reader.line_num
            mahjongs = int(row["mahjongs"])
            players.append({"email": row["player"], "games_played": 0, "mahjongs": mahjongs})
    for each in rounds.values():
        won = sum(player["mahjongs"] for player in each["players"])
        for player in each["players"]:
            player["games_played"] = won + each["wall_games"]
    return list(rounds.values()), lines


def told(refused: Refused, lines: dict[str, int]) -> list[str]:
    """Return what is wrong, each with the line of the file where it can be put right."""
    if not refused.mistakes:
        return [str(refused)]
    return [place_of(each, lines) + each.message for each in refused.mistakes]


def place_of(mistake: Mistake, lines: dict[str, int]) -> str:
    """Return the line that a mistake is on, if it is on one."""
    seat = "/".join(mistake.pointer.split("/")[:5])
    return f"Line {lines[seat]}: " if seat in lines else ""


def print_ratings(night: SessionAnswer) -> None:
    """Print everybody's rating, the highest first."""
    for each in sorted(night["results"], key=lambda each: -each["rating_after"]):
        print(f"{each['player']:24}{each['rating_after']:9.2f}{each['rating_change']:+9.2f}")


if __name__ == "__main__":
    main()
