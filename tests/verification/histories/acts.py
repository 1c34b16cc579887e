"""What people, staff, cards and banks do in a history, each by its name."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from services.ingest.changes.linking import PlayersMet
from services.ingest.players.acts import forget
from services.ingest.record.known.groups import PlayerMerged
from services.ports import ERASABLES
from services.verification.deciding import CannotBeVerified, decide
from services.verification.starting import NotNow, be_checked, get_money_back, pay
from services.verification.stripe.port import StripeAway
from shared.errors import UnknownPlayer
from tests.ingest.changes.linking.merges import merge, unmerge
from tests.verification.histories.model import Model
from tests.verification.histories.world import Someone, World
from tests.verification.stripe.account.holdings import Invoice, Subscription
from tests.verification.stripe.account.odd import ODD

OWNER = """
SELECT account_id FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
WHERE key = $1
"""

Act: TypeAlias = Callable[[World, Model, Someone, int], Awaitable[None]]


async def pays(world: World, model: Model, who: Someone, luck: int) -> None:
    """Press the button, and pay; now and then with a card that is declined first."""
    with suppress(NotNow, StripeAway):
        url = await pay(world.room, world.login(who), (who.player_id,))
        await world.customer_of(who)
        page = url.rpartition("/")[2]
        if luck == 0:
            world.acts.decline(page)
        if luck <= 2:
            world.acts.pay(page)


async def is_checked(world: World, model: Model, who: Someone, luck: int) -> None:
    """Press the button, and show a document: it fails, is looked at for long, or passes."""
    with suppress(NotNow, StripeAway):
        url = await be_checked(world.room, world.login(who), (who.player_id,))
        session = url.rpartition("/")[2]
        if luck == 0:
            world.acts.fail_check(session)
        elif luck == 1:
            world.acts.begin_processing(session)
        else:
            passes(world, who, session)


def passes(world: World, who: Someone, session: str) -> None:
    """Show a document that nobody else has."""
    own = replace(ODD, number=f"{ODD.number}-{who.account_id}", first_name=who.account_id)
    world.acts.pass_check(session, own)
    who.has_passed = True


async def is_looked_through(world: World, model: Model, who: Someone, luck: int) -> None:
    """Have Stripe decide about what it was still looking at."""
    for check in world.account.checks.values():
        if check.state == "processing":
            owner = await _owner(world, check.id)
            if owner is None or luck == 0:
                world.acts.fail_check(check.id)
            else:
                passes(world, owner, check.id)


async def _owner(world: World, session: str) -> Someone | None:
    account_id = await world.pool.fetchval(
        OWNER,
        world.account.checks[session].metadata.get("mahjic_check"),
    )
    return next((who for who in world.people if who.account_id == account_id), None)


async def cancels(world: World, model: Model, who: Someone, luck: int) -> None:
    """Cancel on Stripe's page, or change one's mind."""
    sub = _live(world, who)
    if sub is not None and sub.cancel_at_period_end:
        world.acts.renew_after_all(sub.id)
    elif sub is not None:
        world.acts.cancel_at_period_end(sub.id)


async def changes_card(world: World, model: Model, who: Someone, luck: int) -> None:
    """Have a card that is declined from now on, or a good one, with which what is owed is paid."""
    who.has_bad_card = not who.has_bad_card
    sub = _live(world, who)
    if sub is not None and not who.has_bad_card and sub.status == "past_due":
        world.acts.renew(sub.id, parts=1 + luck % 2)


async def wants_money_back(world: World, model: Model, who: Someone, luck: int) -> None:
    """Press the button that gives the money back."""
    if not who.is_forgotten:
        with suppress(NotNow):
            await get_money_back(world.room, world.login(who))


async def is_refunded(world: World, model: Model, who: Someone, luck: int) -> None:
    """Get money from staff at Stripe's own desk: all of it, or some."""
    invoice = _paid(world, who)
    if invoice is None or any(
        world.account.disputes_of(charge) for charge in world.account.charges_for(invoice.id)
    ):
        return
    charge = world.account.charges_for(invoice.id)[0]
    if not charge.refunded_cents:
        world.acts.refund(invoice.id, None if luck > 1 else 500)


async def disputes(world: World, model: Model, who: Someone, luck: int) -> None:
    """Have the bank ask for the money back, or decide."""
    invoice = _paid(world, who)
    if invoice is None:
        return
    (charge, *_) = world.account.charges_for(invoice.id)
    known = world.account.disputes_of(charge)
    if not known and not charge.refunded_cents:
        world.acts.open_dispute(invoice.id)
    elif known and known[-1].status == "needs_response":
        world.acts.close_dispute(invoice.id, "lost" if luck % 2 else "won")


async def staff_decide(world: World, model: Model, who: Someone, luck: int) -> None:
    """Be granted, or blocked, or neither anymore."""
    decision = ("grant", "block", None, None)[luck]
    own = model.survivor(who.player_id)
    try:
        await decide(world.room, own, decision, "As we know them.")  # type: ignore[arg-type]
    except CannotBeVerified:
        return
    for each in model.group_of(who):
        model.said.pop(each.player_id, None)
    if decision is not None:
        model.said[own] = decision


async def is_merged(world: World, model: Model, who: Someone, luck: int) -> None:
    """Be made one player with somebody, or two again."""
    if who.player_id in model.merged:
        await unmerge(world.pool, who.player_id, world.made)
        del model.merged[who.player_id]
        return
    other = world.people[(world.people.index(who) + 1 + luck) % len(world.people)]
    into = model.survivor(other.player_id)
    if into == who.player_id:
        return
    with suppress(PlayerMerged, PlayersMet, UnknownPlayer):
        await merge(world.pool, who.player_id, into, world.made)
        model.merged[who.player_id] = into


async def is_forgotten(world: World, model: Model, who: Someone, luck: int) -> None:
    """Be forgotten, with everybody who is the same person."""
    if luck != 0:
        return  # Now and then: whoever is forgotten does nothing more.
    await forget(world.pool, world.room.waterline, who.player_id, world.made, ERASABLES)
    for each in model.group_of(who):
        each.is_forgotten = True
        model.said.pop(each.player_id, None)


ACTS: Sequence[Act] = (
    pays,
    pays,
    is_checked,
    is_checked,
    is_looked_through,
    cancels,
    changes_card,
    wants_money_back,
    is_refunded,
    disputes,
    staff_decide,
    is_merged,
    is_forgotten,
)
NEEDS_ACCOUNT = frozenset({pays, is_checked, wants_money_back})


def _live(world: World, who: Someone) -> Subscription | None:
    subs = world.account.subscriptions_of(who.customer_id) if who.customer_id else []
    return next((sub for sub in reversed(subs) if sub.status in {"active", "past_due"}), None)


def _paid(world: World, who: Someone) -> Invoice | None:
    invoices = world.account.invoices_of(who.customer_id) if who.customer_id else []
    return next((each for each in reversed(invoices) if each.status == "paid"), None)
