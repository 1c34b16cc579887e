"""The commands that look at who is Verified and why, and have Stripe asked how things stand."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

import asyncpg
import typer

from services.cli.operator.merges import PlayerId
from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import hint, minute, or_dash, progress_bar, say, show_table
from services.verification.staff.asking_now import ask_now
from services.verification.staff.listing import FileState, OnFileNow, list_on_file
from services.verification.staff.looking_up import (
    CheckOnFile,
    PersonOnFile,
    look_up,
)
from services.verification.stripe.port import PaymentNow
from shared.db.sandbox import time_on
from shared.http.player_ids import read_id

Row: TypeAlias = tuple[str, str, str, str, str]

COLUMNS: Final = ("player", "state", "verified", "until")
SHOWN_COLUMNS: Final = ("what", "id", "state", "since", "value")
CHANGE_COLUMNS: Final = ("player", "what", "id", "before", "now")


def list_all(
    *,
    state: Annotated[FileState | None, typer.Option(help="Only those who stand like this.")] = None,
    data: DataFolder = None,
) -> None:
    """List everybody about whom anything is on file: how they stand, and until when."""

    async def read(pool: asyncpg.Pool) -> Sequence[OnFileNow]:
        return await list_on_file(pool, await time_on(pool), state=state)

    found = on_database(data, read)
    show_table(COLUMNS, [_listed(each) for each in found])
    unexplained = sum(each.state == "unexplained" for each in found)
    if unexplained:
        hint(
            f"Verified, but nothing on file says why: {unexplained}. They came back with the facts "
            "of Kafka. For each, run `mahjic verification grant ID --reason ...` or `end`."
        )


def show(player_id: PlayerId, data: DataFolder = None) -> None:
    """Show all that decides whether a player is Verified, and what has happened about it."""
    who = read_id(player_id)

    async def read(pool: asyncpg.Pool) -> PersonOnFile:
        async with pool.acquire() as connection:
            return await look_up(connection, who, await time_on(pool))

    show_table(SHOWN_COLUMNS, list(_shown(on_database(data, read))))


def reconcile(
    player_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only about this player.")
    ] = None,
    data: DataFolder = None,
) -> None:
    """Have Stripe asked now about everything that is open, and tell what changed by that."""
    who = None if player_id is None else read_id(player_id)
    with progress_bar("Asking Stripe") as show_done:
        asked = on_database(
            data,
            lambda pool: ask_now(
                pool,
                who,
                lambda: datetime.now(UTC),
                lambda done, total: show_done(f"{done} of {total}", done, total),
            ),
        )
    if asked.changes:
        rows = [
            (each.player_id, each.what, each.object_id, or_dash(each.before), each.now)
            for each in asked.changes
        ]
        show_table(CHANGE_COLUMNS, rows)
    say(f"Stripe was asked about {asked.enrollments}; {len(asked.changes)} changed.")


def _listed(each: OnFileNow) -> tuple[str, ...]:
    until = None if each.until is None else minute(each.until)
    return (each.player_id, each.state, "yes" if each.is_verified else "no", or_dash(until))


def _shown(person: PersonOnFile) -> Iterator[Row]:
    state = "nothing_on_file" if person.now is None else person.now.state
    until = "-" if person.now is None or person.now.until is None else minute(person.now.until)
    verified = "Verified" if person.is_verified else "not Verified"
    yield ("person", person.survivor, state, "-", f"{verified}, until {until}")
    for other in person.members:
        if other != person.survivor:
            yield ("merged", other, "-", "-", "-")
    for each in person.decisions:
        yield (
            "decision",
            each.player_id,
            each.decision,
            minute(each.decided_at),
            or_dash(each.reason),
        )
    for noted in person.notes:
        yield ("reason", noted.player_id, noted.about, minute(noted.noted_at), noted.words)
    for own in person.enrollments:
        looked = "never asked" if own.looked_at is None else f"asked {minute(own.looked_at)}"
        due = "" if own.look_due_at is None else f", due {minute(own.look_due_at)}"
        yield (
            "enrollment",
            own.enrollment_id,
            looked + due,
            minute(own.begun_at),
            f"{own.player_id}, {own.customer_id or 'no customer'}",
        )
    yield from map(_payment, person.payments)
    for sub in person.subscriptions:
        renews = "renews" if sub.renews else "does not renew"
        ends = f"{renews}, period ends {minute(sub.period_end)}"
        yield ("subscription", sub.subscription_id, sub.status, "-", ends)
    yield from map(_check, person.checks)
    yield from _asked_and_watched(person)


def _payment(paid: PaymentNow) -> Row:
    told = [
        f"{_money(paid.amount_cents)} {paid.currency} until {minute(paid.period_end)}",
        paid.subscription_id,
    ]
    if paid.refunded_cents:
        told.append(f"{_money(paid.refunded_cents)} given back")
    state = "paid" if paid.dispute == "none" else f"dispute {paid.dispute}"
    return ("payment", paid.invoice_id, state, minute(paid.paid_at), ", ".join(told))


def _check(check: CheckOnFile) -> Row:
    told = [each for each in (check.error_code,) if each]
    if check.passed_at is not None:
        told.append(f"counts since {minute(check.passed_at)}")
    elif check.held_for is not None:
        told.append(f"held: {check.held_for}")
        told.append(f"shown before by {check.other_player_id or 'nobody on record'}")
    if check.is_redacted:
        told.append("erased at Stripe")
    object_id = check.session_id or check.key
    return ("check", object_id, check.state, minute(check.changed_at), ", ".join(told) or "-")


def _asked_and_watched(person: PersonOnFile) -> Iterator[Row]:
    for each in person.requests:
        done = None if each.done_at is None else f"done {minute(each.done_at)}"
        due = None if each.due_at is None else f"due {minute(each.due_at)}, tried {each.tries}"
        told = [part for part in (each.object_id, done or due) if part]
        yield (
            "request",
            each.key,
            f"{each.kind}: {each.outcome or 'open'}",
            minute(each.asked_at),
            ", ".join(told) or "-",
        )
    for watch in person.watched:
        dates = {"until": watch.until, "looked at": watch.next_at, "ended": watch.ended_until}
        told = [f"{name} {minute(at)}" for name, at in dates.items() if at is not None]
        state = "in grace" if watch.is_in_grace else "Verified" if watch.is_verified else "not"
        yield ("watch", watch.player_id, state, "-", ", ".join(told) or "-")


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
