"""Works out where players stand after a batch of verdicts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.projections.tables import rated_sessions, seated_players
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.events.verdicts import FactNoted, SessionRated
from shared.feed import Entry
from shared.rating.formulas import START_CENTI


@dataclass(slots=True)
class PlayerStanding:
    """Where a player stands after a batch; `sessions` counts those of the batch alone."""

    player_id: str
    rating_centi: int = START_CENTI
    games: int = 0
    verified_rating_centi: int = START_CENTI
    verified_games: int = 0
    sessions: int = 0
    last_session_date: date = date.min
    fact_seq: int = 0


def standings_after(entries: Sequence[Entry]) -> dict[str, PlayerStanding]:
    """Return the standing of everybody who played, after the last of their rounds."""
    standings: dict[str, PlayerStanding] = {}
    for fact_seq, session in rated_sessions(entries):
        session_date = date.fromisoformat(session.session_date)
        for player_id in _take_in_rounds(session, standings):
            standing = standings[player_id]
            standing.sessions += 1
            standing.last_session_date = max(standing.last_session_date, session_date)
            standing.fact_seq = fact_seq
    return standings


def verifications_after(entries: Sequence[Entry]) -> dict[str, tuple[bool, int]]:
    """Return for everybody whose verification began or ended whether Verified, and since when."""
    verifications: dict[str, tuple[bool, int]] = {}
    for entry in entries:
        event = entry.verdict.event
        if isinstance(event, FactNoted) and event.fact_type in _IS_VERIFIED_AFTER:
            is_verified = _IS_VERIFIED_AFTER[event.fact_type]
            verifications[event.data["player_id"]] = (is_verified, entry.verdict.answers.fact_seq)
    return verifications


_IS_VERIFIED_AFTER: Final = {PlayerVerified.TYPE: True, PlayerVerificationEnded.TYPE: False}


def _take_in_rounds(session: SessionRated, standings: dict[str, PlayerStanding]) -> set[str]:
    """Take in what each round left behind, and return who sat in them."""
    players = set()
    for rated in session.rounds:
        for seat, player_id in seated_players(rated):
            standing = standings.get(player_id)
            if standing is None:
                standing = standings[player_id] = PlayerStanding(player_id)
            standing.rating_centi = rated.rating_before[seat] + rated.rating_change[seat]
            standing.games = rated.games_after[seat]
            standing.verified_rating_centi = (
                rated.verified_rating_before[seat] + rated.verified_rating_change[seat]
            )
            standing.verified_games = rated.verified_games_after[seat]
            players.add(player_id)
    return players
