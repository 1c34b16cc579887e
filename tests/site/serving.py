"""Serves the site over a season of the tests, behind every layer of the real one."""

from collections.abc import Iterable

from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from services.database import ids_and_times
from services.ingest.people.room import PeopleOfAccounts
from services.ingest.record.waterline import Waterline
from services.invitations.links import InvitationLinks
from services.invitations.room import InvitationRoom
from services.mail.ending import MailLinks
from services.people.disputing import Disputing
from services.people.downloading import Downloading
from services.people.forgetting import Forgetting
from services.people.merging import Merging
from services.people.own import OwnPlayers
from services.ports import desk_room, verification_of
from services.projections.history.reads import Histories
from services.projections.pages.player_pages import OwnRatingPages
from services.site.api import SITE_ROUTES
from services.site.desk.at_desk import DeskRoom
from services.site.kit.lateness import Lateness
from services.site.kit.origin import Origin
from services.site.kit.pages import SitePages
from services.site.login.door import LoginDoor
from services.site.mailing.no_more import MailEnding
from services.site.me.rights import RightsDesk
from services.site.me.room import OwnRoom
from services.site.me.verified.desk import VerifiedDesk
from services.site.previews.painter import PreviewPainter
from services.site.staff.at_staff import StaffRoom
from services.site.words.interface.reference import ReferenceShelf
from services.site.words.promises import promises_of
from services.staff_port import staff_room
from services.transparency.public_logs import PublicLogs
from services.wiring import table_service
from shared.http.application import SiteLayers, build_application
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.routes import Route, add_routes
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MailOutbox
from shared.proposals.shelf import read_shelf
from shared.settings import Settings
from tests.accounts.people import House
from tests.http.service import authenticate
from tests.mail.letters import KEY, START
from tests.projections.conftest import ROUNDS_MAX, World
from tests.projections.pages.conftest import reads_of
from tests.projections.patience import patient_replays

ORIGIN = "https://mahjic.example.org"
# What browsers say that they read.
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
UNLIMITED = RequestLimits(1_000_000, 1_000_000, 1_000_000)


def name_of_site(url: str) -> str:
    """Return the address under which a service on this machine shows pages, from its bare one."""
    return url.replace("127.0.0.1", "localhost")


def serve_pages(
    routes: Iterable[Route],
    *ports: object,
    limits: RequestLimits = UNLIMITED,
    lateness: Lateness | None = None,
    origin: Origin | None = None,
) -> FastAPI:
    """Return an application with these pages, which get the ports that they ask for."""
    pages = SitePages(origin or Origin(ORIGIN, 8000), lateness=lateness)
    app = build_application(
        version="test",
        authenticate=authenticate,
        addresses=ClientAddresses(()),
        limits=limits,
        registry=CollectorRegistry(),
        checks={},
        site=SiteLayers(pages.problem, lambda: pages.origin.url),
    )
    add_routes(app, routes, pages, *ports)
    return app


def serve_site(
    world: World,
    painter: PreviewPainter | None = None,
    *,
    rounds_max: int = ROUNDS_MAX,
    lateness: Lateness | None = None,
) -> FastAPI:
    """Return an application with the whole site of a season."""
    links = MailLinks(world.pool, AddressHashes(KEY), lambda: START)
    outbox = MailOutbox(AddressHashes(KEY), lambda: START)
    histories = Histories(world.reader, patient_replays(world.season.facts, rounds_max=rounds_max))
    return serve_pages(
        SITE_ROUTES,
        reads_of(world, histories),
        painter or PreviewPainter(),
        promises_of(Settings()),
        ReferenceShelf(),
        read_shelf(),
        MailEnding(links.check, links.end_mail),
        InvitationLinks(InvitationRoom(world.pool, outbox, lambda: ORIGIN, per_hour=500)),
        PublicLogs(None),
        *person_ports(House(world.pool), histories),
        lateness=lateness,
    )


def a_door(house: House, origin: Origin | None = None) -> LoginDoor:
    """Return what the pages of people who log in stand on."""
    return LoginDoor(house.accounts, ClientAddresses(()), origin or Origin(ORIGIN, 8000))


def person_ports(
    house: House, histories: Histories
) -> tuple[LoginDoor, OwnRoom, RightsDesk, DeskRoom, StaffRoom, VerifiedDesk]:
    """Return what the pages of people who log in stand on."""
    door = a_door(house)
    people = PeopleOfAccounts(Waterline(), ids_and_times(), ())
    own = OwnRoom(door, OwnPlayers(house.accounts, people), OwnRatingPages(histories))
    rights = RightsDesk(
        Forgetting(house.accounts, people),
        Downloading(house.accounts),
        Merging(house.accounts, people),
        Disputing(house.accounts),
    )
    return door, own, rights, *_desk_rooms(house)


def _desk_rooms(house: House) -> tuple[DeskRoom, StaffRoom, VerifiedDesk]:
    """Return desks at which nothing can be sent, since nothing records."""
    service = table_service(Settings(_env_file=None), house.pool)
    process, recording = service.process, service.recording
    desks = desk_room(process, recording, service.views.reader, service.logs)
    verified = VerifiedDesk(verification_of(process, recording))
    return desks, staff_room(service), verified
