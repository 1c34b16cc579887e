"""Where the pages about a player are: those that everyone reads, or the player's own. Pure."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class PlayerPaths:
    """The addresses of the pages about one player, and the template that frames them.

    Behind `changes` comes the id of a change, behind `compares` whom the player is compared with,
    behind `own_sessions` the id of one, with what the player can say about it, and behind `proofs`
    the id of a change, and then `/proof`.
    """

    layout: str
    sessions: str
    chart: str
    changes: str
    compares: str = ""
    own_sessions: str = ""
    proofs: str = ""


def public_paths(player_id: str) -> PlayerPaths:
    """Return where everyone reads about a player."""
    page = f"/players/{player_id}"
    return PlayerPaths(
        layout="kit/frame.html",
        sessions=page,
        chart=f"{page}/chart",
        changes=f"{page}/changes/",
        compares=f"/compare/{player_id}/",
        proofs=f"/v1/players/{player_id}/changes/",
    )


OWN_PATHS: Final = PlayerPaths(
    layout="me/frame.html",
    sessions="/me/history",
    chart="/me/chart",
    changes="/me/why/",
    own_sessions="/me/sessions/",
)
