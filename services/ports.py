"""Makes the ports that routes get, from what a process is made of."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

from services.accounts.acts import note_act_of_key
from services.accounts.forgetting import erase_accounts
from services.accounts.room import Accounts, Chance
from services.applications.erasing import ApplicationSection, erase_applications
from services.applications.reviewing.anthropic import AnthropicReviewer
from services.applications.reviewing.port import Reviewer
from services.desks.downloaded import DraftSection
from services.desks.drafts import erase_drafts
from services.desks.nights import DeskNights
from services.desks.own_sessions import DeskSessions
from services.desks.players import DeskPlayers
from services.desks.sending import SendingPorts
from services.desks.sheets import DeskSheets
from services.desks.webhooks import DeskWebhooks
from services.ingest.api import Intake
from services.ingest.batches.responding import batch_intake
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.asking import ChangeIntake
from services.ingest.people.api import DisputeDesk
from services.ingest.people.room import PeopleOfAccounts
from services.ingest.players.api import PlayerIntake
from services.ingest.players.forgetting import Erasable
from services.ingest.players.grouped import WholePerson
from services.ingest.record.ids_and_times import latest_day
from services.ingest.record.known.groups import read_seats
from services.ingest.roster.downloaded import RosterSection
from services.ingest.roster.keeping import erase_from_rosters
from services.ingest.score_api import Scoring
from services.ingest.sheets.uploaded import SheetIntake
from services.ingest.submit import Ports, RunningKeys
from services.ingest.who.api import WhoIntake
from services.ingest.who.look_up import WhoPorts
from services.invitations.api import WrongAddressDesk
from services.invitations.kept import erase_invitations, invitation_sections
from services.invitations.links import InvitationLinks
from services.logs import ServiceLogs
from services.mail.ending import MailLinks
from services.mail.ways import ByFiles, ByHand, BySmtp, MailWay, ToVisitors
from services.notices.api import EventDesk
from services.people.answering import AnswersTold
from services.people.disputing import Disputing
from services.people.downloading import Downloading
from services.people.forgetting import Forgetting
from services.people.merging import Merging
from services.people.own import OwnPlayers
from services.projections.answering.reading import ViewReader
from services.projections.history.reads import Histories
from services.projections.history.replays import Replays
from services.projections.leaderboards.routes import Boards
from services.projections.log.routes import Logs
from services.projections.pages.board_pages import BoardPages
from services.projections.pages.own_lists import OwnChanges, OwnRatings
from services.projections.pages.player_pages import FormulaPages, OwnRatingPages, PlayerPages
from services.projections.pages.season_pages import SeasonPages
from services.projections.pages.sitemap_pages import SitemapPages
from services.projections.profiles.queries import read_standings
from services.projections.sessions.gathering import RatedSessions
from services.projections.sessions.queries import rated_sessions, stored_change
from services.projections.sessions.routes import StoredSessions
from services.projections.sessions.told import last_answered_on
from services.site.desk.at_desk import DeskRoom
from services.site.login.door import LoginDoor, MailGoes
from services.site.mailing.no_more import MailEnding
from services.site.me.rights import RightsDesk
from services.site.me.room import OwnRoom
from services.site.me.verified.desk import VerifiedDesk
from services.site.reads import SiteReads
from services.site.words.interface.reference import ReferenceShelf
from services.site.words.promises import promises_of
from services.telling import invitations_of
from services.transparency.proving.proofs import Prover
from services.verification.deciding import erase_verification
from services.verification.leaving import move_enrollments
from services.verification.own.recalling import VerificationSection
from services.verification.room import VerificationRoom
from services.wiring import Process, Recording
from shared.access.acts import OperatorActs
from shared.db.erasing import Connection
from shared.http.layers.addresses import ClientAddresses
from shared.mail.outbox import erase_mails
from shared.proposals.shelf import read_shelf
from shared.settings import Settings

# Someone who waits longer for a page reloads it, which asks the database again.
PAGE_READ_S_MAX: Final = 8.0


async def _erase_mails(connection: Connection, forgotten: WholePerson) -> None:
    for address in forgotten.addresses:
        await erase_mails(connection, address)


# What each room does to forget somebody. Whoever keeps an address or a name adds to it.
async def _erase_accounts(connection: Connection, forgotten: WholePerson) -> None:
    # Accounts know more addresses of somebody than their players do.
    addresses = await erase_accounts(connection, forgotten.addresses)
    await erase_applications(connection, addresses)
    await erase_from_rosters(connection, (), addresses)
    await erase_drafts(connection, [*forgotten.player_ids, *addresses])


ERASABLES: Final[Sequence[Erasable]] = (
    _erase_mails,
    _erase_accounts,
    erase_invitations,
    erase_verification,
)


def ingest_ports(process: Process, recording: Recording, reader: ViewReader) -> Sequence[object]:
    """Return the ports of the routes that take claims."""
    settings, pool = process.settings, process.pool
    submitting = _submitting(process, recording, reader)
    today_latest = _today_latest(process)
    sessions = Intake(submitting, recording.trials, settings, today_latest)
    changes = ChangeIntake(
        _changing(submitting, recording, reader, settings),
        pool,
        submitting.new_session_id,
        settings,
        today_latest,
    )
    return (
        sessions,
        batch_intake(sessions, recording.headway, process.stopping, process.registry),
        changes,
        SheetIntake(sessions, changes, recording.sheets),
        PlayerIntake(
            pool, recording.waterline, recording.ids_and_times, settings, erasables=ERASABLES
        ),
        DisputeDesk(
            pool,
            recording.ids_and_times.now,
            settings,
            AnswersTold(accounts_of(process, recording)),
        ),
        WrongAddressDesk(pool),
        EventDesk(pool, process.bell, settings, process.stopping),
        WhoIntake(_looking_up(process, reader), settings),
        Scoring(settings),
        verification_of(process, recording),
    )


def _submitting(process: Process, recording: Recording, reader: ViewReader) -> Ports:
    return Ports(
        recorder=recording.recorder,
        verdicts=recording.verdicts,
        running=RunningKeys(),
        stored=RatedSessions(reader).find,
        seats=partial(read_seats, process.pool),
        new_session_id=recording.session_ids.new,
    )


def _changing(
    submitting: Ports, recording: Recording, reader: ViewReader, settings: Settings
) -> ChangePorts:
    return ChangePorts(
        recorder=submitting.recorder,
        verdicts=submitting.verdicts,
        running=submitting.running,
        stored=partial(stored_change, reader),
        seats=submitting.seats,
        ids_and_times=recording.ids_and_times,
        days_max=settings.change_days_max,
    )


def changing_ports(process: Process, recording: Recording, reader: ViewReader) -> ChangePorts:
    """Return what changing the past needs; it works while the recorder runs."""
    submitting = _submitting(process, recording, reader)
    return _changing(submitting, recording, reader, process.settings)


def _looking_up(process: Process, reader: ViewReader) -> WhoPorts:
    return WhoPorts(
        pool=process.pool,
        standings=partial(read_standings, reader),
        rated=partial(rated_sessions, reader),
    )


def operator_acts(process: Process) -> OperatorActs:
    """Return what keeps what is done with keys of the operator."""
    return OperatorActs(partial(note_act_of_key, process.pool, process.outbox.now))


def histories_on(settings: Settings, logs: ServiceLogs, reader: ViewReader) -> Histories:
    """Return what reads histories. A process has one: it may hold all facts in memory."""
    return Histories(reader, Replays(logs.recorded, rounds_max=settings.replayed_rounds_max))


def read_ports(process: Process, histories: Histories, logs: ServiceLogs) -> Sequence[object]:
    """Return the ports of the routes that read."""
    reader = histories.reader
    both = Logs(facts=logs.recorded, verdicts=logs.verdicts)
    return (
        reader,
        histories,
        Boards(reader, _today_utc(process)),
        StoredSessions(reader, last_answered_on(logs.verdicts)),
        both,
        Prover(reader, both, process.public_logs),
    )


def site_ports(process: Process, histories: Histories) -> Sequence[object]:
    """Return the ports of the pages."""
    settings, outbox = process.settings, process.outbox
    links = MailLinks(process.pool, outbox.hashes, outbox.now)
    histories = _for_pages(histories)
    reader = histories.reader
    reads = SiteReads(
        boards=BoardPages(reader, _today_utc(process)),
        players=PlayerPages(histories),
        formula=FormulaPages(reader),
        sitemap=SitemapPages(reader),
    )
    ending = MailEnding(links.check, links.end_mail)
    invited = InvitationLinks(invitations_of(process))
    return (reads, promises_of(settings), ReferenceShelf(), read_shelf(), ending, invited)


def _for_pages(histories: Histories) -> Histories:
    return replace(histories, reader=histories.reader.within(PAGE_READ_S_MAX))


def login_ports(
    process: Process,
    recording: Recording,
    histories: Histories,
    *,
    is_open: Callable[[], bool] = lambda: True,
) -> Sequence[object]:
    """Return the ports of the pages of people who log in, who can while it `is_open`."""
    door = door_of(process, recording, is_open)
    accounts = door.accounts
    people = people_of_accounts(recording)
    histories = _for_pages(histories)
    own = OwnRoom(door, OwnPlayers(accounts, people), OwnRatingPages(histories))
    verification = verification_of(process, recording)
    verified = VerifiedDesk.of(verification, process.settings.stripe_api_base)
    return (door, own, verified, _rights_of(accounts, people, histories))


def _rights_of(accounts: Accounts, people: PeopleOfAccounts, histories: Histories) -> RightsDesk:
    """Return what the pages of people's own rights stand on."""
    pool = accounts.pool
    sections = (
        *invitation_sections(pool),
        ApplicationSection(pool),
        RosterSection(pool),
        DraftSection(pool),
        VerificationSection(pool),
    )
    downloads = Downloading(accounts, sections, (OwnRatings(histories), OwnChanges(histories)))
    return RightsDesk(
        Forgetting(accounts, people),
        downloads,
        Merging(accounts, people),
        Disputing(accounts),
    )


def _mail_goes(way: MailWay) -> MailGoes:
    match way:
        case BySmtp():
            return "out"
        case ByFiles():
            return "to_files"
        case ByHand():
            return "by_hand"
        case ToVisitors():
            return "to_visitors"


def desk_room(
    process: Process,
    recording: Recording,
    reader: ViewReader,
    logs: ServiceLogs,
    *,
    is_open: Callable[[], bool] = lambda: True,
) -> DeskRoom:
    """Return what the desks of sources stand on; sending works while the recorder runs."""
    submitting = _submitting(process, recording, reader)
    sending = SendingPorts(
        submitting,
        _changing(submitting, recording, reader, process.settings),
        recording.trials,
        StoredSessions(reader, last_answered_on(logs.verdicts)),
        _today_latest(process),
    )
    door = door_of(process, recording, is_open)
    stored = replace(sending.sessions, reader=reader.within(PAGE_READ_S_MAX))
    nights = DeskNights(door.accounts, sending)
    seasons = SeasonPages(reader.within(PAGE_READ_S_MAX))
    return DeskRoom(
        door,
        nights,
        DeskSheets(nights, recording.sheets, process.settings.sheet_bytes_max),
        DeskSessions(door.accounts, stored, sending, AnswersTold(door.accounts)),
        DeskPlayers(door.accounts, seasons),
        DeskWebhooks(door.accounts, process.settings.webhooks_loopback),
    )


def door_of(process: Process, recording: Recording, is_open: Callable[[], bool]) -> LoginDoor:
    """Return who can log in, and with what."""
    return LoginDoor(
        accounts_of(process, recording),
        ClientAddresses(process.settings.trusted_proxies),
        process.origin,
        mail_goes=_mail_goes(process.mail_way),
        is_open=is_open,
    )


def accounts_of(process: Process, recording: Recording) -> Accounts:
    """Return what everything about accounts is done with."""
    outbox = process.outbox
    return Accounts(
        process.pool,
        outbox,
        lambda: process.origin.url,
        people_of_accounts(recording),
        outbox.hashes,
        Chance(now=outbox.now),
        on_join=(move_enrollments,),
    )


def verification_of(process: Process, recording: Recording) -> VerificationRoom:
    """Return what everything about Verified players is done with."""
    return VerificationRoom(
        accounts_of(process, recording),
        recording.waterline,
        recording.ids_and_times,
        process.stripe_account,
    )


def applications_of(process: Process, recording: Recording) -> tuple[Accounts, Reviewer | None]:
    """Return what applications to become a source are tended with."""
    return accounts_of(process, recording), reviewer_of(process.settings)


def reviewer_of(settings: Settings) -> Reviewer | None:
    """Return who advises on applications; None if nobody was named."""
    url, key, model = settings.review_url, settings.review_key, settings.review_model
    if url is None or key is None or model is None:
        return None
    return AnthropicReviewer(url, model, key.get_secret_value())


def people_of_accounts(recording: Recording) -> PeopleOfAccounts:
    """Return what people who log in do about themselves, in the transaction of their account."""
    return PeopleOfAccounts(recording.waterline, recording.ids_and_times, ERASABLES)


def _today_utc(process: Process) -> Callable[[], date]:
    return lambda: process.outbox.now().date()


def _today_latest(process: Process) -> Callable[[], date]:
    return lambda: latest_day(process.outbox.now())
