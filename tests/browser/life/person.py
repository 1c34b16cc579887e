"""The person whose life it is: what they are called by whom, and what a club sends of them."""

from typing import Any, Final

# As the club writes them; every program keeps an address in one form of its own.
ADDRESS: Final = "Zoe.Quillfeather@Example.com"
OTHER_ADDRESS: Final = "z.wombatson@Work.Example.org"
OFFERED: Final = "Zoe Quillfeather-Smith"
OFFERED_OTHERWISE: Final = "Zed Wombatson"
CHOSEN: Final = "Zoë Quillfëather"
# The telling part of each, in every spelling that was sent, typed or made of it; and of what they
# say of a night.
WORDS: Final = (
    ADDRESS,
    OTHER_ADDRESS,
    OFFERED,
    OFFERED_OTHERWISE,
    CHOSEN,
    "quillfeather",
    "quillfëather",
    "wombatson",
    "xylophone",
)
DISPUTED: Final = "I was at my sister’s in Tallahassee, and nowhere near that xylophone."
FRIENDS: Final = ("ann@example.com", "bea@example.com", "cy@example.com")


def a_night(day: str, who: str, name: str, *, games: int = 16) -> dict[str, Any]:
    """Return a table of the club: the person, who wins most, and friends."""
    won = (games // 2, games // 4, games // 8, games // 8)
    players: list[dict[str, Any]] = [
        {"email": each, "games_played": games, "mahjongs": mahjongs}
        for each, mahjongs in zip((who, *FRIENDS), won, strict=True)
    ]
    players[0]["name"] = name
    wall_games = games - sum(won)
    return {
        "session_date": day,
        "game_type": "social",
        "rounds": [{"players": players, "wall_games": wall_games}],
    }
