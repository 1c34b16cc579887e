"""Works out players' standings after a batch of verdicts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.projections.common.verdicts import seated_players
from shared.events.codec import Verdict
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.events.verdicts import FactNoted, RatingsCorrected, SessionRated
from shared.ids import BOB
from shared.rating.registry import START_CENTI


@dataclass(slots=True)
class PlayerStanding:
    """A player's standing after a batch.

    `sessions`, `mahjongs`, `wall_games` and `last_session_date` cover what was rated as it came in
    the batch, without the effect of corrections.
    """

    player_id: str
    rating_centi: int = START_CENTI
    games: int = 0
    verified_rating_centi: int = START_CENTI
    verified_games: int = 0
    sessions: int = 0
    mahjongs: int = 0
    wall_games: int = 0
    last_session_date: date | None = None
    fact_seq: int = 0


def standings_after(verdicts: Sequence[Verdict]) -> dict[str, PlayerStanding]:
    """Return the standing of each player who moved, after their last round or correction."""
    standings: dict[str, PlayerStanding] = {}
    for verdict in verdicts:
        event, fact_seq = verdict.event, verdict.answers.fact_seq
        if isinstance(event, SessionRated):
            session_date = date.fromisoformat(event.session_date)
            for player_id in _take_in_rounds(event, standings):
                standing = standings[player_id]
                standing.sessions += 1
                latest = standing.last_session_date or session_date
                standing.last_session_date = max(latest, session_date)
                standing.fact_seq = fact_seq
        elif isinstance(event, RatingsCorrected):
            _take_in_correction(event, fact_seq, standings)
    return standings


def verifications_after(verdicts: Sequence[Verdict]) -> dict[str, tuple[bool, int]]:
    """Return whether each player whose verification began or ended is Verified, and since when."""
    verifications: dict[str, tuple[bool, int]] = {}
    for verdict in verdicts:
        if (told := told_verification(verdict)) is not None:
            player_id, is_verified = told
            verifications[player_id] = (is_verified, verdict.answers.fact_seq)
    return verifications


def told_verification(verdict: Verdict) -> tuple[str, bool] | None:
    """Return whose verification a verdict begins or ends, and whether it begins."""
    event = verdict.event
    if not isinstance(event, FactNoted) or event.fact_type not in _IS_VERIFIED_AFTER:
        return None
    return event.data["player_id"], _IS_VERIFIED_AFTER[event.fact_type]


_IS_VERIFIED_AFTER: Final = {PlayerVerified.TYPE: True, PlayerVerificationEnded.TYPE: False}


def _take_in_rounds(session: SessionRated, standings: dict[str, PlayerStanding]) -> set[str]:
    """Take in results, and each standing after the last round. Return who sat there."""
    players: set[str] = set()
    table: tuple[str, ...] = ()
    for rated in reversed(session.rounds):
        for player_id, mahjongs in zip(rated.players, rated.mahjongs, strict=True):
            if player_id != BOB:
                standing = _standing_of(player_id, standings)
                standing.mahjongs += mahjongs
                standing.wall_games += rated.wall_games
        if rated.players == table:  # Usually the same people play the next round.
            continue
        table = rated.players
        for seat, player_id in seated_players(rated):
            if player_id in players:
                continue
            standing = _standing_of(player_id, standings)
            standing.rating_centi = rated.rating_before[seat] + rated.rating_change[seat]
            standing.games = rated.games_after[seat]
            standing.verified_rating_centi = (
                rated.verified_rating_before[seat] + rated.verified_rating_change[seat]
            )
            standing.verified_games = rated.verified_games_after[seat]
            players.add(player_id)
    return players


def _take_in_correction(
    event: RatingsCorrected, fact_seq: int, standings: dict[str, PlayerStanding]
) -> None:
    """Take in the standings that one part of a correction gives its players."""
    for place, player_id in enumerate(event.players):
        standing = _standing_of(player_id, standings)
        standing.rating_centi = event.rating_before[place] + event.rating_change[place]
        standing.games = event.games_after[place]
        standing.verified_rating_centi = (
            event.verified_rating_before[place] + event.verified_rating_change[place]
        )
        standing.verified_games = event.verified_games_after[place]
        standing.fact_seq = fact_seq


def _standing_of(player_id: str, standings: dict[str, PlayerStanding]) -> PlayerStanding:
    standing = standings.get(player_id)
    if standing is None:
        standing = standings[player_id] = PlayerStanding(player_id)
    return standing
