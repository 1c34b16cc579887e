"""What somebody played in a night, and what that did to their rating, in short. Pure."""

from collections.abc import Collection, Iterable
from typing import Final

from services.mail.writing.in_short import MovedRating, NightInShort
from shared.events.verdicts import RatedRound, SessionRated

MINUS: Final = "−"


def night_in_short(
    sessions: Iterable[SessionRated], player_ids: Collection[str], rating_centi: int | None
) -> NightInShort | None:
    """Return what a person did in the sessions of a night, None if they sat in none of the rounds.

    `rating_centi` is the rating now, None for somebody whose rating no mail may hold.
    """
    rounds = games = won = change_centi = 0
    for session in sessions:
        for rated in session.rounds:
            if (seat := _seat_of(rated, player_ids)) is not None:
                rounds += 1
                games += rated.games_played
                won += rated.mahjongs[seat]
                change_centi += rated.rating_change[seat]
    if not rounds:
        return None
    moved = None if rating_centi is None else _moved(rating_centi, change_centi)
    return NightInShort(rounds, games, won, moved)


def _seat_of(rated: RatedRound, player_ids: Collection[str]) -> int | None:
    """Return the seat of a person, by the ids on the fact."""
    seated = rated.played_as or rated.players
    return next((seat for seat, each in enumerate(seated) if each in player_ids), None)


def _moved(rating_centi: int, change_centi: int) -> MovedRating:
    sign = "+" if change_centi > 0 else MINUS if change_centi < 0 else ""
    return MovedRating(
        now=_decimal(rating_centi),
        change=f"{sign}{_decimal(abs(change_centi))}",
        went="up" if change_centi > 0 else "down" if change_centi < 0 else "nowhere",
    )


def _decimal(centi: int) -> str:
    units, rest = divmod(abs(centi), 100)
    return f"{MINUS if centi < 0 else ''}{units:,}.{rest:02}"
