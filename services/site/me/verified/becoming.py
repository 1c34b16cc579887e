"""The page of becoming Verified: what it means, how one stands, and the way to Stripe and back.

Stripe's own pages come after the buttons. Whoever comes back from one sees how things stand once
Stripe has said so; until then the page asks again by itself, with or without JavaScript.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import structlog
from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.projections.profiles.answers import Profile
from services.site.kit.pages import Site, SitePages
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.me.people import LoggedIn
from services.site.me.room import ME_PATH, Mine, OwnRoom
from services.site.me.verified.desk import AtVerified, VerifiedDesk
from services.site.me.verified.failed import why_failed
from services.verification.entitlement import GRACE
from services.verification.own.recalling import ask_for_look, read_told
from services.verification.own.told import ToldVerified
from services.verification.returning import MONEY_BACK_FOR
from services.verification.room import VerificationNotOpen
from services.verification.starting import (
    BACK_PATH,
    NotNow,
    be_checked,
    get_money_back,
    pay,
    see_receipts,
)
from services.verification.stripe.port import StripeAway, StripeRefused
from services.verification.telling import VERIFIED_PATH
from shared.http.layers.browsers import page_policy
from shared.http.routes import Route

BACK: Final = "stripe"
# Three minutes in all, soon at first: a check takes longer than a payment.
LOOKS_MAX: Final = 20
SOON_LOOKS: Final = 8
SOON_S, LATER_S = 3, 12
AWAY_STATUS: Final = 503
REFUSED_STATUS: Final = 502

# What is pressed, and gives the address of a page of Stripe's.
Press: TypeAlias = Callable[[LoggedIn], Awaitable[str]]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """How the page asks again: what the browser is told, and whether it has given up."""

    headers: dict[str, str]
    is_over: bool = False


async def verified_page(request: Request, site: Site, mine: Mine, desk: AtVerified) -> Response:
    """Show what being Verified is, and how one stands."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    if request.query_params.get("from") != BACK or not desk.is_open:
        return await _shown(site, mine, desk, person)
    look = _look(request)
    if look == 0:
        await ask_for_look(desk.room, person.login)
    told = await read_told(desk.room, person.login, person.player_id)
    if not _is_awaited(told):
        return await _shown(site, mine, desk, person)
    if look and not told.is_looking:
        await ask_for_look(desk.room, person.login)
    if look >= LOOKS_MAX:
        return await _shown(site, mine, desk, person, waiting=_Waiting({}, is_over=True))
    wait_s = SOON_S if look < SOON_LOOKS else LATER_S
    refresh = {"Refresh": f"{wait_s}; url={BACK_PATH}&look={look + 1}"}
    return await _shown(site, mine, desk, person, waiting=_Waiting(refresh))


def _look(request: Request) -> int:
    """Return how often the page has asked again."""
    text = request.query_params.get("look", "")
    is_number = text.isascii() and text.isdecimal() and len(text) < 4
    return min(int(text), LOOKS_MAX) if is_number else 0


def _is_awaited(told: ToldVerified) -> bool:
    return told.is_looking or told.check == "processing" or told.payment == "returning"


async def press_pay(request: Request, site: Site, mine: Mine, desk: AtVerified) -> Response:
    """Lead to the page on which somebody can pay."""

    async def press(person: LoggedIn) -> str:
        return await pay(desk.room, person.login, tuple(person.players))

    return await _led(request, site, mine, desk, press)


async def press_check(request: Request, site: Site, mine: Mine, desk: AtVerified) -> Response:
    """Lead to the page on which somebody shows a document."""

    async def press(person: LoggedIn) -> str:
        return await be_checked(desk.room, person.login, tuple(person.players))

    return await _led(request, site, mine, desk, press)


async def press_receipts(request: Request, site: Site, mine: Mine, desk: AtVerified) -> Response:
    """Lead to the page with receipts, cards, and the button to cancel."""

    async def press(person: LoggedIn) -> str:
        return await see_receipts(desk.room, person.login)

    return await _led(request, site, mine, desk, press)


async def press_money_back(request: Request, site: Site, mine: Mine, desk: AtVerified) -> Response:
    """Have the money of a new payment given back."""
    person = await mine.acting_player(request)
    try:
        await get_money_back(desk.room, person.login)
    except (NotNow, VerificationNotOpen, LoginNotFresh) as refused:
        return await _refused(site, mine, desk, person, refused)
    return lead_to(BACK_PATH)


async def _led(
    request: Request, site: SitePages, mine: OwnRoom, desk: VerifiedDesk, press: Press
) -> Response:
    """Lead to a page of Stripe's, or say on our own why not."""
    person = await mine.acting_player(request)
    try:
        return desk.lead_to_stripe(await press(person))
    except StripeAway:
        words = _(
            "Stripe, where this is done, gives no answer at the moment. Nothing was charged. Try "
            "again in a few minutes."
        )
        return await _shown(site, mine, desk, person, status=AWAY_STATUS, mistake=words)
    except StripeRefused as refused:
        _log.error("stripe_refused", detail=str(refused))
        words = _(
            "Stripe, where this is done, would not do it. That is a fault on our side. Nothing was "
            "charged. Try again tomorrow, or write to us."
        )
        return await _shown(site, mine, desk, person, status=REFUSED_STATUS, mistake=words)
    except (NotNow, VerificationNotOpen, LoginNotFresh) as why:
        return await _refused(site, mine, desk, person, why)


async def _refused(
    site: SitePages,
    mine: OwnRoom,
    desk: VerifiedDesk,
    person: LoggedIn,
    why: NotNow | VerificationNotOpen | LoginNotFresh,
) -> Response:
    # That a login is too old, and that it is not open here, stands on the page anyway.
    mistake = why.detail if isinstance(why, NotNow) else ""
    return await _shown(site, mine, desk, person, status=why.status, mistake=mistake)


async def _shown(
    site: SitePages,
    mine: OwnRoom,
    desk: VerifiedDesk,
    person: LoggedIn,
    *,
    status: int = 200,
    mistake: str = "",
    waiting: _Waiting | None = None,
) -> Response:
    told = await read_told(desk.room, person.login, person.player_id)
    is_verified = told.standing in {"verified", "ending", "grace", "granted"}
    page = mine.page(
        site,
        "me/verified/page.html",
        title=_("You are Verified") if is_verified else _("Become Verified"),
        words=_("What being Verified means, what it costs, and how you stand."),
        tab=ME_PATH,
        status=status,
        told=told,
        is_verified=is_verified,
        is_open=desk.is_open,
        is_fresh=mine.is_fresh(person),
        player=await _profile(mine, person) if told.standing == "lapsed" else None,
        why_failed=why_failed(told.why_failed),
        money_back_days=MONEY_BACK_FOR.days,
        grace_days=GRACE.days,
        mistake=mistake,
        waiting=waiting,
    )
    page.headers.update(page_policy(*desk.origins) | (waiting.headers if waiting else {}))
    return page


async def _profile(mine: OwnRoom, person: LoggedIn) -> Profile:
    return await mine.reads.of(person.player_id).profile(person.player_id)


VERIFIED_ROUTES: Final = (
    Route("GET", VERIFIED_PATH, verified_page, ignores_unknown=True),
    Route("POST", f"{VERIFIED_PATH}/pay", press_pay),
    Route("POST", f"{VERIFIED_PATH}/check", press_check),
    Route("POST", f"{VERIFIED_PATH}/receipts", press_receipts),
    Route("POST", f"{VERIFIED_PATH}/money-back", press_money_back),
)
