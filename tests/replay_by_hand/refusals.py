"""Which facts cannot be, as of the facts before them: nothing of them counts."""

from shared.events.facts import (
    FactEvent,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from tests.replay_by_hand.history import BOB, Facts, Sessions, merges, survivor


def why_not(facts: Facts, fact: FactEvent) -> str | None:
    """Return the code of what is wrong with the next fact, or None."""
    if isinstance(fact, SessionSubmitted):
        return None if _can_be_played(facts, fact) else "impossible_round"
    if isinstance(fact, PlayerVerified | PlayerVerificationEnded):
        return "impossible_verification" if _is_nobody(fact.player_id) else None
    if isinstance(fact, SessionsVoided | SessionCorrected):
        return _why_not_corrected(facts, fact)
    if isinstance(fact, PlayersMerged | PlayersUnmerged):
        is_possible = (
            _can_be_merged(facts, fact)
            if isinstance(fact, PlayersMerged)
            else _can_be_unmerged(facts, fact)
        )
        return None if is_possible else "impossible_merge"
    if isinstance(fact, SeatsReassigned):
        return None if _can_be_reseated(facts, fact) else "impossible_reseat"
    return None


def _can_be_played(facts: Facts, session: SessionSubmitted) -> bool:
    merged_into = merges(facts)
    points_count = session.game_type != "social"
    return bool(session.rounds) and all(
        _adds_up(played, points_count)
        and len({survivor(merged_into, player) for player in played.players}) == len(played.players)
        for played in session.rounds
    )


def _adds_up(played: PlayedRound, points_count: bool) -> bool:
    points = played.points_centi or ()
    return (
        2 <= len(played.players) <= 4
        and len(set(played.players) - {BOB}) >= 2
        and 1 <= played.games_played <= 200
        and min(*played.mahjongs, played.wall_games) >= 0
        and sum(played.mahjongs) + played.wall_games == played.games_played
        and (played.points_centi is not None or not points_count)
        and all(abs(each) <= 1_000_000_00 for each in points)
    )


def _why_not_corrected(facts: Facts, fact: SessionsVoided | SessionCorrected) -> str | None:
    sessions = Sessions(facts)
    concerned = fact.session_ids if isinstance(fact, SessionsVoided) else (fact.corrects,)
    for each in concerned:
        if each not in sessions.of or each in sessions.corrected:
            return "impossible_correction"
    if isinstance(fact, SessionCorrected) and not _can_be_played(facts, fact.session):
        return "impossible_round"
    return None


def _can_be_merged(facts: Facts, fact: PlayersMerged) -> bool:
    merged_into = merges(facts)
    if fact.player_id == fact.into or _is_nobody(fact.player_id) or _is_nobody(fact.into):
        return False
    if fact.player_id in merged_into or fact.into in merged_into:
        return False
    return not any(
        {fact.player_id, fact.into} <= {survivor(merged_into, each) for each in played.players}
        for session in Sessions(facts).live()
        for played in session.rounds
    )


def _can_be_unmerged(facts: Facts, fact: PlayersUnmerged) -> bool:
    return merges(facts).get(fact.player_id) == fact.merged_into


def _can_be_reseated(facts: Facts, fact: SeatsReassigned) -> bool:
    sessions, merged_into = Sessions(facts), merges(facts)
    counting = {each.session_id for each in sessions.live()}
    if _is_nobody(fact.from_) or _is_nobody(fact.to) or fact.from_ in merged_into:
        return False
    if survivor(merged_into, fact.to) == fact.from_ or not set(fact.sessions) <= counting:
        return False
    for session_id in set(fact.sessions):
        before = sessions.of[session_id]
        after = sessions.reseat(session_id, fact, len(facts) + 1, merged_into)
        tables = [[survivor(merged_into, one) for one in each.players] for each in after.rounds]
        if after == before or any(len(set(table)) < len(table) for table in tables):
            return False
    return bool(fact.sessions)


def _is_nobody(player: str) -> bool:
    return player == BOB or player.startswith("AN-")
