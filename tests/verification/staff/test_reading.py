"""What is listed about Verified players, and what is shown of one, is what has happened."""

from datetime import UTC, datetime, timedelta

import pytest

from services.ingest.record.known.groups import PlayerMerged
from services.verification.deciding import decide
from services.verification.staff.listing import list_on_file
from services.verification.staff.looking_up import look_up
from shared.errors import UnknownPlayer
from tests.ingest.changes.linking.merges import merge
from tests.verification.staff.club import Club
from tests.verification.stripe.account.odd import a_document

ANN, BEN, CARL, DORA, EVE, FRED = (
    f"{name}@example.com" for name in ("ann", "ben", "carl", "dora", "eve", "fred")
)
YEAR_LATER = datetime(2028, 3, 1, 12, tzinfo=UTC)


async def states(club: Club) -> dict[str, str]:
    """Return how everybody listed stands, by who it is."""
    found = await list_on_file(club.pool, club.room.now())
    emails = {
        row["player_id"]: row["email"].partition("@")[0]
        for row in await club.pool.fetch("SELECT player_id, email FROM mahjic.people")
    }
    return {emails[each.player_id]: each.state for each in found}


async def test_everybody_on_file_is_listed_with_how_they_stand(club: Club) -> None:
    await decide(club.room, await club.player(ANN), "grant", "Plays in our club every week.")
    await decide(club.room, await club.player(BEN), "block", None)
    await club.pays(CARL)
    await club.shows(CARL, a_document(1))
    await club.pays(DORA)
    await club.fails(DORA)
    await club.shows(EVE, a_document(2))
    await club.pays(FRED)
    await club.shows(FRED, a_document(1))
    await club.player("nobody@example.com")
    assert await states(club) == {
        "ann": "granted",
        "ben": "blocked",
        "carl": "paid",
        "dora": "waiting_for_identity",
        "eve": "waiting_for_payment",
        "fred": "held",
    }
    now = club.room.now()
    (carl,) = await list_on_file(club.pool, now, state="paid")
    assert carl.is_verified
    assert carl.until == YEAR_LATER + timedelta(days=14)
    await decide(club.room, await club.player(ANN), None, None)
    assert (await states(club))["ann"] == "not_verified"


async def test_a_year_that_is_over_is_first_in_grace_and_then_ended(club: Club) -> None:
    subscription = await club.pays(CARL)
    await club.shows(CARL, a_document(1))
    club.house.clock.at = YEAR_LATER + timedelta(days=1)
    club.people.fail_renewal(subscription)
    await club.catch_up()
    await club.tick()
    assert await states(club) == {"carl": "in_grace"}
    club.house.clock.wind(timedelta(days=14))
    await club.tick()
    assert await states(club) == {"carl": "ended"}


async def test_whoever_is_verified_for_no_reason_on_file_is_left_to_staff(club: Club) -> None:
    ann = await club.player(ANN)
    await decide(club.room, ann, "grant", None)
    # As after the facts of Kafka were brought back to a database of before.
    await club.pool.execute("DELETE FROM mahjic.verification_decisions")
    await club.pool.execute("DELETE FROM mahjic.verification_watch")
    await club.tick()
    assert await states(club) == {"ann": "unexplained"}
    await decide(club.room, ann, "block", None)
    assert await states(club) == {"ann": "blocked"}


async def test_all_that_has_happened_about_a_person_is_shown_for_each_of_their_ids(
    club: Club,
) -> None:
    subscription = await club.pays(CARL)
    failed = await club.fails(CARL)
    passed = await club.shows(CARL, a_document(1))
    carl, dora = await club.player(CARL), await club.player(DORA)
    await decide(club.room, dora, "grant", "Her sister vouches for her.")
    await merge(club.pool, dora, carl, club.room.ids_and_times)
    (invoice,) = club.stripe.account.invoices
    for asked in (carl, dora):
        async with club.pool.acquire() as connection:
            person = await look_up(connection, asked, club.room.now())
        assert (person.survivor, set(person.members)) == (carl, {carl, dora})
        assert person.is_verified
        assert person.now is not None
        assert person.now.state == "granted"
        assert [(each.player_id, each.reason) for each in person.decisions] == [
            (dora, "Her sister vouches for her.")
        ]
        (paid,) = person.payments
        assert (paid.invoice_id, paid.subscription_id) == (invoice, subscription)
        assert (paid.amount_cents, paid.period_end) == (2000, YEAR_LATER)
        assert [each.subscription_id for each in person.subscriptions] == [subscription]
        # The same session goes on after a failure.
        assert failed == passed
        assert [(each.session_id, each.state) for each in person.checks] == [(passed, "verified")]
        assert person.checks[0].passed_at is not None
        kinds = {each.kind for each in person.requests}
        assert {"checkout", "check", "redact_check"} <= kinds
        assert [each.customer_id for each in person.enrollments] == [*club.stripe.account.customers]
    # A decision is asked for by the id that stands for the person.
    with pytest.raises(PlayerMerged):
        await decide(club.room, dora, None, None)


async def test_of_a_player_without_anything_on_file_that_is_said(club: Club) -> None:
    ann = await club.player(ANN)
    async with club.pool.acquire() as connection:
        person = await look_up(connection, ann, club.room.now())
        assert person.now is None
        assert not person.is_verified
        with pytest.raises(UnknownPlayer):
            await look_up(connection, "MJ-0000001Y", club.room.now())
