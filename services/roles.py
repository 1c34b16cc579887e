"""Says what each process of Mahjic answers, and which parts run in it beside that."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from services import parts
from services.database import ids_and_times
from services.ingest.api import SUBMISSION_ROUTES, Intake
from services.ingest.batches.api import BATCH_ROUTES
from services.ingest.batches.responding import BatchIntake, batch_intake
from services.ingest.changes.admin_api import ADMIN_CHANGE_ROUTES
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.asking import ChangeIntake
from services.ingest.changes.corrections_api import CORRECTION_ROUTES
from services.ingest.players.api import PLAYER_ROUTES, PlayerIntake
from services.ingest.record.ids_and_times import today_latest
from services.ingest.record.known.groups import read_seats
from services.ingest.score_api import SCORE_ROUTES, Scoring
from services.ingest.sheets.api import SHEET_ROUTES
from services.ingest.sheets.corrections_api import SHEET_CORRECTION_ROUTES
from services.ingest.sheets.reader import SheetReader
from services.ingest.sheets.uploaded import SheetIntake
from services.ingest.submit import Ports, RunningKeys
from services.ingest.who.api import WHO_ROUTES, WhoIntake
from services.ingest.who.look_up import WhoPorts
from services.projections.answering.reading import ViewReader
from services.projections.api import READ_ROUTES
from services.projections.history.replays import Replays
from services.projections.history.routes import Histories
from services.projections.leaderboards.routes import Boards
from services.projections.log.routes import Logs
from services.projections.profiles.queries import read_standings
from services.projections.sessions.queries import rated_sessions, stored_change
from services.projections.sessions.routes import StoredSessions
from services.projections.sessions.together import RatedSessions
from services.projections.sessions.told import last_answered_on
from services.wiring import (
    CHANNELS,
    FACT_CHANNELS,
    VIEW_CHANNELS,
    Service,
    TopicName,
    check_copy,
    check_place,
    check_topics_safe,
    find_end_of_verdicts,
)
from shared.access.lookups import KeyLookups
from shared.http.application import build_application
from shared.http.health import Check
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import Limits
from shared.http.routes import Route, add_routes

# What /readyz says of the database of whoever only reads.
ASK_STANDBY: Final = "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' END"

Part = Callable[[Service, int], Coroutine[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Role:
    """What one process does, under the name of its command.

    Before it serves, `first` is checked, and waited for while a log is away. Then it answers
    `routes`, to which it hands the `ports`, is ready when all of `ready` are there, and runs
    `parts`. `channels` are those of the database that it listens to, `follows` the topics of Kafka.
    """

    name: str
    ready: Mapping[str, Callable[[Service], Check]]
    parts: Mapping[str, Part]
    first: Sequence[Callable[[Service], Awaitable[None]]]
    routes: Sequence[Route] = ()
    ports: Sequence[Callable[[Service], object]] = ()
    channels: tuple[str, ...] = ()
    follows: Sequence[TopicName] = field(default=())


def build_app(service: Service, role: Role) -> FastAPI:
    """Return the web application of a role."""
    app = _application(service, role)
    add_routes(app, role.routes, *(make(service) for make in role.ports))
    if role.routes and role is not SERVE:
        # Whoever asks for the interface, or what an address answers to, means that of all the
        # processes behind one address.
        whole = build_app(replace(service, registry=CollectorRegistry()), SERVE)
        app.state.whole = whole
        app.openapi = whole.openapi  # type: ignore[method-assign]
    return app


def _application(service: Service, role: Role) -> FastAPI:
    settings = service.settings
    lookups = KeyLookups(service.pool, database_wait_s=settings.database_wait_s_max)
    return build_application(
        version=version("mahjic"),
        authenticate=lookups.authenticate,
        addresses=ClientAddresses(settings.trusted_proxies),
        limits=Limits(settings.public_limit_per_minute, settings.source_limit_per_minute),
        registry=service.registry,
        checks={name: check(service) for name, check in role.ready.items()},
        is_documented=bool(role.routes),
    )


def _intake(service: Service) -> Intake:
    return Intake(_submitting(service), service.trials, service.settings, today_latest)


def _batch_intake(service: Service) -> BatchIntake:
    return batch_intake(_intake(service), service.headway, service.stopping, service.registry)


def _sheet_intake(service: Service) -> SheetIntake:
    reader = SheetReader(service.settings)
    return SheetIntake(_intake(service), _change_intake(service), reader)


def _change_intake(service: Service) -> ChangeIntake:
    submitting = _submitting(service)
    changing = ChangePorts(
        recorder=submitting.recorder,
        verdicts=submitting.verdicts,
        running=submitting.running,
        stored=partial(stored_change, service.reader),
        seats=submitting.seats,
        ids_and_times=ids_and_times(),
        days_max=service.settings.change_days_max,
    )
    return ChangeIntake(
        changing, service.pool, submitting.new_session_id, service.settings, today_latest
    )


def _submitting(service: Service) -> Ports:
    return Ports(
        recorder=service.recorder,
        verdicts=service.verdicts,
        running=RunningKeys(),
        stored=RatedSessions(service.reader).find,
        seats=partial(read_seats, service.pool),
        new_session_id=service.session_ids.new,
    )


def _players(service: Service) -> PlayerIntake:
    return PlayerIntake(service.pool, service.waterline, ids_and_times(), service.settings)


def _who(service: Service) -> WhoIntake:
    ports = WhoPorts(
        pool=service.pool,
        standings=partial(read_standings, service.reader),
        rated=partial(rated_sessions, service.reader),
    )
    return WhoIntake(ports, service.settings)


def _scoring(service: Service) -> Scoring:
    return Scoring(service.settings)


def _reader(service: Service) -> ViewReader:
    return service.reader


def _histories(service: Service) -> Histories:
    replays = Replays(service.logs.recorded, rounds_max=service.settings.replayed_rounds_max)
    return Histories(service.reader, replays)


def _boards(service: Service) -> Boards:
    return Boards(service.reader, today_utc=lambda: datetime.now(UTC).date())


def _stored_sessions(service: Service) -> StoredSessions:
    return StoredSessions(service.reader, last_answered_on(service.logs.verdicts))


def _logs(service: Service) -> Logs:
    return Logs(facts=service.logs.recorded, verdicts=service.logs.verdicts)


READ_PORTS: Final = (_reader, _histories, _boards, _stored_sessions, _logs)


def _database(service: Service) -> Check:
    return lambda: service.pool.fetchval("SELECT 1")


def _database_or_standby(service: Service) -> Check:
    return lambda: service.pool.fetchval(ASK_STANDBY)


def _facts(service: Service) -> Check:
    return service.logs.facts.tail


def _verdicts(service: Service) -> Check:
    return service.logs.verdicts.tail


INGEST_ROUTES: Final = (
    *SUBMISSION_ROUTES,
    *BATCH_ROUTES,
    *SHEET_ROUTES,
    *SHEET_CORRECTION_ROUTES,
    *CORRECTION_ROUTES,
    *PLAYER_ROUTES,
    *ADMIN_CHANGE_ROUTES,
    *WHO_ROUTES,
    *SCORE_ROUTES,
)
INGEST_PORTS: Final = (
    _intake,
    _batch_intake,
    _sheet_intake,
    _change_intake,
    _players,
    _who,
    _scoring,
)

SERVE: Final = Role(
    name="serve",
    first=(check_place, find_end_of_verdicts),
    routes=(*INGEST_ROUTES, *READ_ROUTES),
    ports=(*INGEST_PORTS, *READ_PORTS),
    ready={"database": _database, "log": _verdicts},
    parts={
        "recorder": parts.record,
        "pace of batches": parts.pace_batches,
        "history": parts.watch_history,
        "verdicts": parts.hand_out_verdicts,
        "rater": parts.rate,
        "views": parts.follow_table,
        "sign of keeping": parts.show_keeping_views,
        "end of the log": parts.tell_end_of_facts,
        "places of the views": parts.tell_views,
        "view builder": parts.build_views_once_rating,
        "janitor": parts.sweep,
        "cleaning of what is erased": parts.clean_erased,
        "foreign refusals": parts.tell_foreign_refusals,
    },
    channels=CHANNELS,
)
# It needs Kafka to start and to answer with ratings, but not to accept: without, it answers 202.
INGEST: Final = Role(
    name="ingest",
    first=(check_place, check_copy, find_end_of_verdicts),
    routes=INGEST_ROUTES,
    ports=INGEST_PORTS,
    ready={"database": _database},
    parts={
        "recorder": parts.record,
        "pace of batches": parts.pace_batches,
        "history": parts.watch_history,
        "copy": parts.watch_copy,
        "verdicts": parts.hand_out_verdicts,
        "end of the log": parts.tell_end_of_facts,
        "janitor": parts.sweep,
        "cleaning of what is erased": parts.clean_erased,
        "foreign refusals": parts.tell_foreign_refusals,
    },
    follows=("facts", "verdicts"),
)
RELAY: Final = Role(
    name="relay",
    first=(check_place, check_topics_safe, check_copy),
    ready={"database": _database, "facts topic": _facts},
    parts={"relay": parts.relay, "end of the log": parts.tell_end_of_facts},
    channels=FACT_CHANNELS,
    follows=("facts",),
)
RATER: Final = Role(
    name="rater",
    first=(check_place, check_topics_safe),
    ready={"database": _database, "facts topic": _facts, "verdicts topic": _verdicts},
    parts={"rater": parts.rate},
    follows=("facts", "verdicts"),
)
PROJECTIONS: Final = Role(
    name="projections",
    first=(check_place,),
    ready={"database": _database, "verdicts topic": _verdicts},
    parts={
        "views": parts.follow_topic,
        "sign of keeping": parts.show_keeping_views,
        "view builder": parts.build_views_unless_newer,
    },
    follows=("verdicts",),
)
# Kafka is for auditors alone here, so everybody else is answered without.
READ: Final = Role(
    name="read",
    first=(),
    routes=READ_ROUTES,
    ports=READ_PORTS,
    ready={"database": _database_or_standby},
    parts={"cluster": parts.check_cluster, "places of the views": parts.tell_views},
    channels=VIEW_CHANNELS,
    follows=("verdicts",),
)
