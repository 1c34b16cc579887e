"""What changes of the past by anybody did to people of a session, as far as everyone may know."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from services.desks.answers import label_of
from services.projections.answering.reading import ViewReader
from services.projections.sessions.afterward import LaterChange, read_later_changes
from services.projections.sessions.answers import StoredSessionAnswer
from services.site.desk.sessions.recorded import ChangedLater, MovedLater
from shared.answers.seen import Sight


async def changed_later(
    reader: ViewReader,
    source: str,
    told: StoredSessionAnswer,
    sight: Sight,
    labels: Mapping[str, str],
) -> Sequence[ChangedLater]:
    """Return what happened to the ratings that a session began with, the newest first.

    Of private players nothing is told: not even that something moved them.
    """
    sent = {}
    for each in sight.seated.values():
        if each.is_public:
            label = label_of(sight.called(each.player_id), labels)
            sent[each.player_id] = sent[each.survivor_id] = label
    ended = told["ended"]
    found = await read_later_changes(
        reader,
        sorted(sent),
        fact_seq=told["fact_seq"],
        place_seq=told["place_seq"],
        but_for=0 if ended is None else ended["fact_seq"],
    )
    by_fact = groupby(found, key=lambda each: each.fact_seq)
    return [_shown(list(changes), source, told["session_id"], sent) for _seq, changes in by_fact]


def _shown(
    changes: Sequence[LaterChange], source: str, session_id: str, labels: Mapping[str, str]
) -> ChangedLater:
    first = changes[0]
    return ChangedLater(
        first.on_date,
        first.cause,
        None if first.source == source else first.source_name,
        is_own=first.source == source,
        is_of_this=session_id in first.sessions,
        moved=[
            MovedLater(
                labels[each.player_id], each.player_id, each.change_id, each.change_centi / 100
            )
            for each in changes
        ],
    )
