"""Takes in judgments: what is on record after them. Read `take_in` first.

Pure. What it changes in the record of a transaction is what that transaction writes down.
"""

from functools import partial

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.on_record import KnownRound, KnownSession, OnRecord, person_key
from services.ingest.record.judging.own_night import as_night
from services.ingest.record.judging.refusing import AskTheOperator, DuplicateSession
from services.ingest.record.judging.similar import table_of


def take_in(identified: Identified, judgment: Judgment, record: OnRecord) -> None:
    """Put on record what follows from a submission's judgment, before the next is judged.

    A refusal changes only how often the source was refused for what others hold.
    """
    match judgment:
        case Accepted():
            _meet_people(identified, record)
            _keep_privacy(identified, record)
            _keep_key(judgment, judgment.fact.session_id, record)
            _add_session(judgment, record)
        case Replayed():
            _keep_privacy(identified, record)
            _keep_key(judgment, judgment.session_id, record)
        case AskTheOperator() | DuplicateSession() if judgment.foreign_hits:
            record.foreign_refusals[identified.submission.source] += judgment.foreign_hits


def _meet_people(identified: Identified, record: OnRecord) -> None:
    """Note that the source has named these people, and what it calls them if it said so."""
    source = identified.submission.source
    acquainted, named_now = record.acquainted, record.named_now
    for seat, known in identified.named:
        if known.is_new or known.first_source is None:
            known.is_new = False
            known.first_source = known.first_source or source
            record.changed_people.add(person_key(seat.person, source))
        pair = (source, known.player_id)
        acquainted.add(pair)
        if seat.name is not None or pair not in named_now:
            named_now[pair] = seat.name


def _keep_privacy(identified: Identified, record: OnRecord) -> None:
    """Private wins, unless the player or the operator has spoken."""
    source = identified.submission.source
    for seat, known in identified.named:
        if not seat.person.is_private or seat.person.kind != "person":
            continue
        record.private_words.add((source, known.player_id))
        if not known.is_private and known.privacy_by == "source":
            known.is_private = True
            record.changed_people.add(person_key(seat.person, source))


def _keep_key(judgment: Accepted | Replayed, session_id: str, record: OnRecord) -> None:
    key_print, kept_print = judgment.submission.key_print, judgment.kept_print
    if key_print is not None and kept_print is not None and key_print not in record.keys:
        record.keys[key_print] = record.kept_keys[key_print] = (kept_print, session_id)


def _add_session(accepted: Accepted, record: OnRecord) -> None:
    identified, fact_seq = accepted.identified, accepted.fact_seq
    session_id, source = accepted.fact.session_id, accepted.fact.source
    session = identified.submission.session
    record.add_session(
        identified.content_print,
        KnownSession(session_id, source, "accepted", session.allow_duplicate, fact_seq),
    )
    for number, players in enumerate(identified.survivor_ids):
        own = KnownRound(session_id, source, identified.round_prints[number], fact_seq)
        record.add_round(own)
        tell_table = partial(table_of, identified, number, fact_seq)
        record.add_new_table(session.session_date, players, tell_table)
    tell_night = partial(as_night, identified, record.acquainted)
    record.add_night(source, session.session_date, tell_night)
