"""Picks from verdicts what several views are made of: sessions, and who sat in them. Pure."""

from collections.abc import Iterator, Sequence

from shared.events.codec import Verdict
from shared.events.verdicts import RatedRound, RatingsCorrected, ReseatedSession, SessionRated
from shared.ids import BOB


def rated_sessions(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that were rated as they came, each with the number of its fact."""
    for verdict in verdicts:
        event = verdict.event
        if isinstance(event, SessionRated):
            yield verdict.answers.fact_seq, event


def corrections(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, RatingsCorrected]]:
    """Yield all parts of the verdicts on the past, each with the number of its fact."""
    for verdict in verdicts:
        event = verdict.event
        if isinstance(event, RatingsCorrected):
            yield verdict.answers.fact_seq, event


def replacing_sessions(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that replaced another, each with the number of its fact."""
    for fact_seq, event in corrections(verdicts):
        if event.session is not None:
            yield fact_seq, event.session


def reseated_sessions(verdicts: Sequence[Verdict]) -> Iterator[ReseatedSession]:
    """Yield the seats that were reassigned, by session, in the order of the facts."""
    for _, event in corrections(verdicts):
        yield from event.reseated or ()


def seated_players(rated: RatedRound) -> Iterator[tuple[int, str]]:
    """Yield the seat and id of everyone but Bob, who has no profile and no history."""
    for seat, player_id in enumerate(rated.players):
        if player_id != BOB:
            yield seat, player_id


def visits_in(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """Return who sat in a session of which source, for sessions that were rated as they came."""
    visits: dict[str, set[str]] = {}
    for _, session in rated_sessions(verdicts):
        seated = visits.setdefault(session.source, set())
        for rated in session.rounds:
            seated.update(rated.players)
    return sorted(
        (player_id, source)
        for source, seated in visits.items()
        for player_id in seated
        if player_id != BOB
    )


def players_on_fact(session: SessionRated) -> list[str]:
    """Return everyone but Bob by the ids that the fact names, merged or not, in order of id."""
    return sorted(results_on_fact(session))


def results_on_fact(session: SessionRated) -> dict[str, tuple[int, int]]:
    """Return how many games each player but Bob won, and how many wall games they sat in.

    They are by the ids that the fact names.
    """
    results: dict[str, tuple[int, int]] = {}
    for rated in session.rounds:
        for player_id, won in zip(rated.played_as or rated.players, rated.mahjongs, strict=True):
            mahjongs, wall_games = results.get(player_id, (0, 0))
            results[player_id] = (mahjongs + won, wall_games + rated.wall_games)
    results.pop(BOB, None)
    return results
