"""One round that is being read, and what is missing when it ends."""

from typing import Any, Final

from shared.limits import SEATS_MAX, SEATS_MIN
from shared.sheets.draft import Draft
from shared.sheets.rows.lines import Label

EXAMPLE: Final = "ROUND 1 | Games Played: 4 | Wall Games: 0"
WORDS: Final = {"games_played": "Games Played", "wall_games": "Wall Games", "ref": "Ref"}


class SheetRound:
    """A round: where it begins, what its line says, and its players so far."""

    def __init__(self, row: int, place: int, number: int | None) -> None:
        self.row = row
        self.pointer = f"/rounds/{place}"
        self.number = number
        # The rows of what was said, even of what cannot be read.
        self.said: dict[Label, int] = {}
        self.player_rows: list[int] = []
        self.games_played: int | None = None
        self.players: list[dict[str, Any]] = []
        self.claim: dict[str, Any] = {"players": self.players}

    def add(self, draft: Draft, row: int, player: dict[str, Any] | None) -> None:
        """Add a player, None for a row that could not be read for want of headings."""
        self.player_rows.append(row)
        if player is not None:
            self.players.append(player)
        if len(self.player_rows) > SEATS_MAX:
            draft.note(
                "too_many_players",
                f"This is player {len(self.player_rows)} of the round, and a round has "
                f"{SEATS_MIN} to {SEATS_MAX}. If someone took over a seat partway through, write "
                "two rounds, each with the games that its players played together. Otherwise, "
                "start another round above, or delete the row.",
                row,
                None,
                f"{self.pointer}/players",
            )

    def finish(self, draft: Draft) -> None:
        """Note what the round lacks, and give every player the games of the round."""
        for label in ("games_played", "wall_games"):
            if label not in self.said:
                draft.note(
                    "missing",
                    f"The line for this round does not say {WORDS[label]}. Write it like {EXAMPLE}",
                    self.row,
                    None,
                    f"{self.pointer}/{label}",
                )
        if len(self.player_rows) < SEATS_MIN:
            draft.note(
                "too_few_players",
                f"A round has {SEATS_MIN} to {SEATS_MAX} players, and this one has "
                f"{len(self.player_rows)}.",
                self.row,
                None,
                f"{self.pointer}/players",
            )
        if not self.players:
            draft.noted.add(f"{self.pointer}/players")
        for number, player in enumerate(self.players):
            where = f"{self.pointer}/players/{number}/games_played"
            if self.games_played is None:
                draft.noted.add(where)
            else:
                player["games_played"] = self.games_played
                draft.places[where] = draft.places[f"{self.pointer}/games_played"]
