"""Says what each process answers that people and sources ask, and which parts run beside that."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from services import checks, parts
from services.accounts.sweeping import sweep_accounts_forever
from services.applications.tending import tend_applications
from services.desks.drafts import sweep_drafts_forever
from services.ingest.api import SUBMISSION_ROUTES
from services.ingest.batches.api import BATCH_ROUTES
from services.ingest.changes.admin_api import ADMIN_CHANGE_ROUTES
from services.ingest.changes.corrections_api import CORRECTION_ROUTES
from services.ingest.people.api import DISPUTE_ROUTES
from services.ingest.players.api import PLAYER_ROUTES
from services.ingest.record.janitor import sweep_forever
from services.ingest.score_api import SCORE_ROUTES
from services.ingest.sheets.api import SHEET_ROUTES
from services.ingest.sheets.correcting_api import SHEET_CORRECTION_ROUTES
from services.ingest.who.api import WHO_ROUTES
from services.invitations.api import WRONG_ADDRESS_ROUTES
from services.invitations.running import run_invitations
from services.invitations.shown_nights import NightViews
from services.notices.api import EVENT_LIST_ROUTES
from services.notices.running import run_notices
from services.ports import (
    accounts_of,
    applications_of,
    desk_room,
    histories_on,
    ingest_ports,
    login_ports,
    operator_acts,
    read_ports,
    site_ports,
    verification_of,
)
from services.projections.api import READ_ROUTES
from services.projections.history.reads import Histories
from services.role import Part, Role
from services.site.api import SITE_ROUTES
from services.site_port import site_of
from services.staff_port import staff_room
from services.telling import (
    invitations_of,
    notices_of,
    public_log_room,
)
from services.transparency.api import TRANSPARENCY_ROUTES
from services.transparency.keeping.running import run_transparency
from services.transparency.telling import tell_public_logs
from services.verification.api import EVENT_ROUTES, VERIFICATION_ROUTES
from services.verification.running import run_verification
from services.wiring import (
    CHANNELS,
    FACT_CHANNELS,
    SITE_CHANNELS,
    VERIFICATION_CHANNELS,
    VIEW_CHANNELS,
    Service,
)
from services.workers import RATE, SEND_MAIL, SEND_WEBHOOKS, SHOW_KEEPING, TELL_END
from shared.db.erasing import clean_forever

_INGEST_ROUTES: Final = (
    *SUBMISSION_ROUTES,
    *BATCH_ROUTES,
    *SHEET_ROUTES,
    *SHEET_CORRECTION_ROUTES,
    *CORRECTION_ROUTES,
    *PLAYER_ROUTES,
    *DISPUTE_ROUTES,
    *WRONG_ADDRESS_ROUTES,
    *EVENT_LIST_ROUTES,
    *ADMIN_CHANGE_ROUTES,
    *WHO_ROUTES,
    *SCORE_ROUTES,
    *VERIFICATION_ROUTES,
    *EVENT_ROUTES,
)


def _ingest_ports(s: Service) -> Sequence[object]:
    ports = ingest_ports(s.process, s.recording, s.views.reader)
    return (*ports, operator_acts(s.process))


def _histories(s: Service) -> Histories:
    return histories_on(s.process.settings, s.logs, s.views.reader)


def _read_ports(s: Service) -> Sequence[object]:
    reads = read_ports(s.process, _histories(s), s.logs)
    return (*reads, operator_acts(s.process), s.process.public_logs)


def _site_ports(s: Service) -> Sequence[object]:
    histories = _histories(s)
    pages = site_ports(s.process, histories)
    logins = login_ports(s.process, s.recording, histories, is_open=s.process.is_open.is_set)
    reader, is_open = s.views.reader, s.process.is_open.is_set
    desks = desk_room(s.process, s.recording, reader, s.logs, is_open=is_open)
    staff = staff_room(s, is_open=is_open)
    return (*pages, *logins, desks, staff, s.painter, s.process.public_logs)


def _all_ports(s: Service) -> Sequence[object]:
    histories = _histories(s)
    pages = site_ports(s.process, histories)
    logins = login_ports(s.process, s.recording, histories)
    desks = desk_room(s.process, s.recording, s.views.reader, s.logs)
    reads = read_ports(s.process, histories, s.logs)
    staff = staff_room(s)
    whole = (*_ingest_ports(s), *reads, *pages, *logins)
    return (*whole, desks, staff, s.painter, s.process.public_logs)


# Beside ingest, which has what mail needs and follows the verdicts already; `mahjic mail send`
# needs no Kafka.
_INVITE: Final[Mapping[str, Part]] = {
    "invitations": lambda s, _: run_invitations(
        invitations_of(s.process), s.logs.verdicts, NightViews(s.views.reader), s.process.registry
    ),
}
_NOTICE: Final[Mapping[str, Part]] = {
    "notices": lambda s, _: run_notices(notices_of(s.process), s.logs.verdicts, s.process.registry),
}
# In Kafka mode it has processes of its own: `mahjic verification work`.
_VERIFY: Final[Mapping[str, Part]] = {
    "verification": lambda s, _: run_verification(
        verification_of(s.process, s.recording), s.process.bell, s.process.registry
    ),
}
_TELL_TRANSPARENCY: Final[Mapping[str, Part]] = {
    "places of the public logs": lambda s, _: tell_public_logs(
        s.process.public_logs, s.process.registry
    ),
}
# In Kafka mode it has a process of its own: `mahjic transparency follow`.
_TRANSPARENCY: Final[Mapping[str, Part]] = {
    "public logs": lambda s, _: run_transparency(public_log_room(s.process, s.logs)),
    **_TELL_TRANSPARENCY,
}
_TELL_VIEWS: Final[Mapping[str, Part]] = {
    "places of the views": lambda s, _: parts.tell_views(s.process.pool, s.process.registry),
}
_SHOW_PAGES: Final[Mapping[str, Part]] = {
    "previews": lambda s, _: s.painter.run(),
    "lateness of pages": lambda s, _: parts.tell_lateness(s.process.pool, s.process.lateness),
}
_INGEST_PARTS: Final[Mapping[str, Part]] = {
    "recorder": lambda s, _: s.recording.recorder.run(),
    "pace of batches": lambda s, _: parts.pace_batches(s.process.pool, s.recording.headway),
    "history": lambda s, _: s.recording.waterline.watch(s.logs.recorded),
    "verdicts": lambda s, _: s.recording.verdicts.follow(),
    "janitor": lambda s, _: sweep_forever(
        s.process.pool,
        s.recording.ids_and_times,
        kept_days=s.process.settings.idempotency_days,
    ),
    "sweep of accounts": lambda s, _: sweep_accounts_forever(accounts_of(s.process, s.recording)),
    "applications": lambda s, _: tend_applications(*applications_of(s.process, s.recording)),
    "sweep of drafts": lambda s, _: sweep_drafts_forever(s.process.pool, s.process.outbox.now),
    "cleaning of what is erased": lambda s, _: clean_forever(
        s.process.pool, every_s=s.process.settings.erased_clean_s
    ),
    "disputes": lambda s, _: parts.tell_disputes(
        s.process.pool, s.process.outbox.now, s.process.registry
    ),
    "foreign refusals": lambda s, _: parts.tell_foreign_refusals(
        s.process.pool, s.process.registry
    ),
    **TELL_END,
}

# What is checked before facts are written, by the names of `first`.
_WRITER_CHECKS: Final = (checks.on_place, checks.on_copy, checks.find_end_of_verdicts)

SERVE: Final = Role(
    name="serve",
    first=(checks.on_place, checks.on_public_logs, checks.find_end_of_verdicts),
    routes=(*_INGEST_ROUTES, *READ_ROUTES, *TRANSPARENCY_ROUTES, *SITE_ROUTES),
    site=site_of,
    ports=_all_ports,
    ready={"database": checks.database, "log": checks.verdicts},
    parts={
        **_INGEST_PARTS,
        **RATE,
        "views": lambda s, _: parts.follow_table(s.views.feed, s.process.registry),
        **SHOW_KEEPING,
        **_TELL_VIEWS,
        "view builder": lambda s, _: parts.build_views_once_rating(
            s.views.kept, s.logs.verdicts, s.process.pool, s.process.is_rating
        ),
        **_SHOW_PAGES,
        **_INVITE,
        **_NOTICE,
        **SEND_MAIL,
        **SEND_WEBHOOKS,
        **_VERIFY,
        **_TRANSPARENCY,
    },
    channels=CHANNELS,
)
# It needs Kafka to start and to answer with ratings, but not to accept: without it, it answers 202.
INGEST: Final = Role(
    name="ingest",
    whole=SERVE,
    first=_WRITER_CHECKS,
    routes=_INGEST_ROUTES,
    ports=_ingest_ports,
    ready={"database": checks.database},
    parts={
        **_INGEST_PARTS,
        **_INVITE,
        **_NOTICE,
        "copy": lambda s, _: parts.watch_copy(s.logs),
    },
    follows=("facts", "verdicts"),
)
# It writes facts, so it checks and watches what `ingest` does. Any number of them may run.
VERIFICATION: Final = Role(
    name="verification",
    first=_WRITER_CHECKS,
    ready={"database": checks.database},
    parts={
        **_VERIFY,
        "history": lambda s, _: s.recording.waterline.watch(s.logs.recorded),
        "verdicts": lambda s, _: s.recording.verdicts.follow(),
        "copy": lambda s, _: parts.watch_copy(s.logs),
    },
    channels=VERIFICATION_CHANNELS,
    follows=("facts", "verdicts"),
)
# It reads facts where they are recorded, so it finds a database that was put back.
TRANSPARENCY: Final = Role(
    name="transparency",
    first=(checks.on_place, checks.on_public_logs),
    ready={"database": checks.database, "verdicts topic": checks.verdicts},
    parts={**_TRANSPARENCY, **TELL_END},
    channels=FACT_CHANNELS,
    follows=("verdicts",),
)
# Only auditors need Kafka here, so everyone else is answered without it.
READ: Final = Role(
    name="read",
    whole=SERVE,
    first=(checks.on_names_of_public_logs,),
    routes=(*READ_ROUTES, *TRANSPARENCY_ROUTES),
    ports=_read_ports,
    ready={"database": checks.database_or_standby},
    parts={
        "cluster": lambda s, _: parts.check_cluster(s.process.pool, s.logs),
        **_TELL_VIEWS,
        **_TELL_TRANSPARENCY,
    },
    channels=VIEW_CHANNELS,
    follows=("verdicts",),
    can_only_read=True,
)
# It shows its pages without Kafka and on a standby. People who log in change things on record, so
# they wait until what `ingest` checks at its start is checked, and what it watches is watched.
SITE: Final = Role(
    name="site",
    whole=SERVE,
    routes=SITE_ROUTES,
    ports=_site_ports,
    site=site_of,
    ready={"database": checks.database_or_standby},
    parts={
        "cluster": lambda s, _: parts.check_cluster(s.process.pool, s.logs),
        "door": lambda s, _: parts.let_people_in(
            s.process.pool,
            [partial(check, s) for check in _WRITER_CHECKS],
            s.process.is_open,
            s.process.registry,
        ),
        "history": lambda s, _: parts.once_open(
            s.process.is_open, partial(s.recording.waterline.watch, s.logs.recorded)
        ),
        "copy": lambda s, _: parts.once_open(s.process.is_open, partial(parts.watch_copy, s.logs)),
        "verdicts": lambda s, _: parts.once_open(s.process.is_open, s.recording.verdicts.follow),
        # What is sent from a desk is recorded here.
        "recorder": lambda s, _: parts.once_open(s.process.is_open, s.recording.recorder.run),
        **_TELL_VIEWS,
        **_SHOW_PAGES,
    },
    channels=SITE_CHANNELS,
    follows=("facts", "verdicts"),
    can_only_read=True,
)
