"""Says what the processes do that answer nobody but their operator: relay, rater and the like.

They stand apart from those that answer people and sources, whose routes and pages take twice as
long to import as all the rest.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from services import checks, parts
from services.mail.running import run_mail
from services.notices.webhooks.lanes import run_webhooks
from services.projections.building.keeping import show_keeping
from services.role import Part, Role
from services.telling import mail_queue_of, webhooks_of
from services.wiring import FACT_CHANNELS, open_copy
from shared.mail.outbox import MAIL_CHANNEL
from shared.notices.writing import NOTICES_CHANNEL

SEND_MAIL: Final[Mapping[str, Part]] = {
    "mail": lambda s, _: run_mail(
        partial(mail_queue_of, s.process),
        s.process.mail_way,
        mail_from=s.process.settings.mail_from,
        bell=s.process.bell,
        registry=s.process.registry,
        now=s.process.outbox.now,
    ),
}
# In Kafka mode it has processes of its own: `mahjic webhooks send`.
SEND_WEBHOOKS: Final[Mapping[str, Part]] = {
    "webhooks": lambda s, _: run_webhooks(
        webhooks_of(s.process) if s.process.settings.webhooks_sent else None,
        s.process.bell,
        s.process.registry,
    ),
}
TELL_END: Final[Mapping[str, Part]] = {
    "end of the log": lambda s, _: parts.tell_end_of_facts(s.logs.recorded, s.process.registry),
}
RATE: Final[Mapping[str, Part]] = {
    "rater": lambda s, port: parts.rate(
        s.logs,
        s.process.settings,
        s.process.registry,
        is_rating=s.process.is_rating,
        port=port,
    ),
}
SHOW_KEEPING: Final[Mapping[str, Part]] = {
    "sign of keeping": lambda s, _: show_keeping(s.process.pool, s.views.kept),
}

RELAY: Final = Role(
    name="relay",
    first=(checks.on_place, checks.on_safe_topics, checks.on_copy),
    ready={"database": checks.database, "facts topic": checks.facts},
    parts={
        "relay": lambda s, _: parts.relay(
            s.logs, s.process.pool, s.process.registry, open_copy=partial(open_copy, s.logs)
        ),
        **TELL_END,
    },
    channels=FACT_CHANNELS,
    follows=("facts",),
)
RATER: Final = Role(
    name="rater",
    first=(checks.on_place, checks.on_safe_topics),
    ready={
        "database": checks.database,
        "facts topic": checks.facts,
        "verdicts topic": checks.verdicts,
    },
    parts=RATE,
    follows=("facts", "verdicts"),
)
PROJECTIONS: Final = Role(
    name="projections",
    first=(checks.on_place,),
    ready={"database": checks.database, "verdicts topic": checks.verdicts},
    parts={
        "views": lambda s, _: parts.follow_topic(
            s.logs,
            s.views.kept,
            s.process.pool,
            s.process.registry,
            otlp_endpoint=s.process.settings.otlp_endpoint,
        ),
        **SHOW_KEEPING,
        "view builder": lambda s, _: parts.build_views_unless_newer(
            s.views.kept, s.logs.verdicts, s.process.pool
        ),
    },
    follows=("verdicts",),
)
# Mail needs no Kafka, not even to start: the outbox is in the database.
MAIL: Final = Role(
    name="mail",
    ready={"database": checks.database},
    parts=SEND_MAIL,
    channels=(MAIL_CHANNEL,),
)
# Nor do webhooks: events are in the database once they are written.
WEBHOOKS: Final = Role(
    name="webhooks",
    ready={"database": checks.database},
    parts=SEND_WEBHOOKS,
    channels=(NOTICES_CHANNEL,),
)
