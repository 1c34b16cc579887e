"""Answers whom a player met most, and how two players compare."""

from typing import Any

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.history.queries import read_adoption
from services.projections.profiles.queries import read_profile
from services.projections.profiles.reads import shown_profile
from services.projections.together.answers import HeadToHead, SideBySide
from services.projections.together.meetings import expected_scores, read_start, shown_together
from services.projections.together.queries import (
    ROUNDS_MAX,
    Meetings,
    read_meetings,
    read_met,
)
from shared.rating.registry import formula_named


async def answer_head_to_head(reader: ViewReader, who: str) -> HeadToHead:
    """Return the public players whom a public player met most. Raises NoPublicPlayer."""
    found = await read_met(reader, who)
    return {
        "player_id": who,
        "rounds_max": ROUNDS_MAX,
        "is_whole": found is not None and found.is_whole,
        "opponents": None if found is None else found.opponents,
    }


async def answer_comparison(
    reader: ViewReader, one: str, other: str, cursor: str | None
) -> SideBySide:
    """Return two public players side by side. Raises NoPublicPlayer and WrongCursor."""
    pair = (one, other)
    start = read_start(cursor, pair)
    own, theirs = await _profiles(reader, one, other)
    found = await _meetings(reader, own, theirs)
    _, name, *_ = await read_adoption(reader)
    scale_centi = formula_named(name).rules.scale_centi
    are_verified = own["is_verified"] and theirs["is_verified"]
    return {
        "player": shown_profile(own),
        "other": shown_profile(theirs),
        "formula": name,
        "expected": expected_scores(own["rating_centi"], theirs["rating_centi"], scale_centi),
        "expected_verified": expected_scores(
            own["verified_rating_centi"], theirs["verified_rating_centi"], scale_centi
        )
        if are_verified
        else None,
        "together": None
        if found is None
        else shown_together(
            found.rounds, pair, start, rounds_max=ROUNDS_MAX, is_whole=found.is_whole
        ),
    }


async def _profiles(
    reader: ViewReader, one: str, other: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both profiles. Whichever is not there, both were looked for. Raises NoPublicPlayer."""
    found = []
    for who in (one, other):
        try:
            found.append(dict(await read_profile(reader, who)))
        except NoPublicPlayer:
            continue
    if len(found) < 2:
        raise NoPublicPlayer
    return found[0], found[1]


async def _meetings(
    reader: ViewReader, own: dict[str, Any], theirs: dict[str, Any]
) -> Meetings | None:
    """Return the rounds of two players, read by way of the one who played fewer sessions."""
    if own["sessions"] <= theirs["sessions"]:
        return await read_meetings(reader, own["player_id"], theirs["player_id"])
    found = await read_meetings(reader, theirs["player_id"], own["player_id"])
    if found is None:
        return None
    return Meetings([each.turned() for each in found.rounds], found.is_whole)
