"""Builders: a log of facts from what happened, and the verdicts on it."""

from collections.abc import Iterable, Mapping, Sequence

from services.rater.answering import Rater
from shared.events.chain import first_chain
from shared.events.codec import Verdict, decode_verdict, encode_fact
from shared.events.facts import FactEvent, FormulaAdopted, GameType, PlayedRound, SessionSubmitted
from shared.log.port import Position, Record, chained
from shared.rating.registry import MAHJIC_ELO_1
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from tests.log.adapters import LOG_ID

ENGINE = "engine-of-a-test"
BEGINNING = Position(LOG_ID, 0, first_chain(LOG_ID, "facts"))
ADOPTED = FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters)


def a_round(
    mahjongs: Mapping[str, int],
    *,
    wall_games: int = 0,
    points_centi: Sequence[int] | None = None,
) -> PlayedRound:
    """Return a round: who won how many games, in the order of the seats."""
    return PlayedRound(
        games_played=sum(mahjongs.values()) + wall_games,
        wall_games=wall_games,
        players=tuple(mahjongs),
        mahjongs=tuple(mahjongs.values()),
        points_centi=None if points_centi is None else tuple(points_centi),
    )


def a_session(
    *rounds: PlayedRound, name: str = "s", game_type: GameType | None = None
) -> SessionSubmitted:
    """Return a session; it is social unless its rounds have points."""
    has_points = any(each.points_centi is not None for each in rounds)
    return SessionSubmitted(
        session_id=name,
        source="a-club",
        session_date="2026-03-03",
        game_type=game_type or ("league" if has_points else "social"),
        rounds=tuple(rounds),
        new_players=(),
    )


def fact_bodies(events: Iterable[FactEvent | bytes]) -> list[bytes]:
    """Return the bytes of facts, in order from seq 1; bytes stand for themselves."""
    return [
        event
        if isinstance(event, bytes)
        else encode_fact(event, log_id=LOG_ID, seq=seq, time=time_of(seq))
        for seq, event in enumerate(events, start=1)
    ]


def time_of(seq: int) -> str:
    """Return when the fact at `seq` was accepted: one every second, none by a clock."""
    minutes, seconds = divmod(seq, 60)
    hours, minutes = divmod(minutes, 60)
    return f"2026-03-04T{hours:02}:{minutes:02}:{seconds:02}.000000Z"


def fact_records(events: Iterable[FactEvent | bytes]) -> list[Record]:
    """Return facts as they stand on a log that begins with them."""
    return chained(BEGINNING, fact_bodies(events))


def a_rater(engine: str = ENGINE) -> Rater:
    """Return a rater that has read nothing yet."""
    return Rater(BEGINNING, engine, Chronicle(StoredColumns()))


def answered(events: Iterable[FactEvent | bytes], rater: Rater | None = None) -> list[bytes]:
    """Return the bytes of the verdicts on facts, as an undisturbed rater writes them."""
    rater = rater or a_rater()
    return [body for record in fact_records(events) for body in rater.answer(record)]


def verdicts_on(events: Iterable[FactEvent | bytes]) -> list[Verdict]:
    """Return the verdicts on facts."""
    return [decode_verdict(body) for body in answered(events)]
