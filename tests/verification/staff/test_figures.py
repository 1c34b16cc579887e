"""The figures of verification count people, and only the checks that staff have yet to look at."""

from datetime import timedelta

from prometheus_client import CollectorRegistry

from services.verification.deciding import decide
from services.verification.figures import VerificationFigures
from services.verification.staff.holds import list_holds, release
from services.verification.stripe.inbox import add_event
from tests.verification.staff.club import Club
from tests.verification.stripe.account.odd import ODD, a_document

ANN, BEN, CARL, DORA = (f"{name}@example.com" for name in ("ann", "ben", "carl", "dora"))


class Watched:
    """The gauges of one process."""

    def __init__(self, club: Club) -> None:
        self.club, self.registry = club, CollectorRegistry()
        self.figures = VerificationFigures.on(self.registry)

    async def look(self) -> dict[str, float]:
        await self.figures.look(self.club.pool, self.club.room.now())
        return {
            sample.name.removeprefix("mahjic_"): sample.value
            for family in self.registry.collect()
            for sample in family.samples
        }


async def test_the_gauges_tell_who_is_verified_who_waits_and_what_staff_must_do(
    club: Club,
) -> None:
    watched = Watched(club)
    for email in (ANN, BEN, CARL):
        await club.pays(email)
    for email in (ANN, BEN):
        await club.shows(email, ODD)
    await decide(club.room, await club.player(DORA), "grant", None)
    told = await watched.look()
    assert (told["verified_players"], told["verification_waiting_for_identity"]) == (2, 2)
    assert (told["verification_held"], told["verified_in_grace"]) == (1, 0)
    # Whom staff keep from it waits for nobody.
    await decide(club.room, await club.player(BEN), "block", None)
    assert (await watched.look())["verification_held"] == 0
    await decide(club.room, await club.player(BEN), None, None)
    assert (await watched.look())["verification_held"] == 1
    async with club.pool.acquire() as connection:
        (hold,) = await list_holds(connection)
    await release(club.room, hold.key, "We have met both.")
    told = await watched.look()
    assert (told["verification_held"], told["verified_players"]) == (0, 3)


async def test_days_of_grace_and_the_oldest_event_are_told(club: Club) -> None:
    watched = Watched(club)
    await club.pays(ANN)
    await club.shows(ANN, a_document(1))
    club.house.clock.wind(timedelta(days=368))
    await club.tick()
    await add_event(club.pool, "evt_1", "invoice.paid", None, club.room.now())
    club.house.clock.wind(timedelta(minutes=7))
    told = await watched.look()
    assert (told["verified_players"], told["verified_in_grace"]) == (1, 1)
    assert told["stripe_oldest_event_s"] == 420
