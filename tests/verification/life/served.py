"""A whole service with an account at Stripe, its worker at work, and people who have accounts."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from services.accounts.logging_in.logins import Login
from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ports import verification_of
from services.verification.room import VerificationRoom
from services.verification.running import run_verification
from services.verification.stripe.adapter import StripeSdk
from services.verification.work.clock import tick
from services.verification.work.worker import VerificationWorker, WorkTally
from tests.conftest import Database
from tests.service import RunningService, running_service
from tests.verification.events.sending import OPEN
from tests.verification.histories.world import ADD_ACCOUNT, ADD_ADDRESS, Someone

# A busy machine takes its time.
DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class ServedClub:
    """The service, and what the buttons on its pages do."""

    service: RunningService
    room: VerificationRoom

    async def comes(self, address: str) -> Someone:
        """Let somebody come who has an account and a player."""
        pool, now = self.service.pool, datetime.now(UTC)
        known = await register(
            pool, self.room.waterline, read_person(address), self.room.ids_and_times
        )
        account_id = f"acc_{known.player_id}"
        await pool.execute(ADD_ACCOUNT, account_id, account_id.encode().ljust(32), now)
        await pool.execute(ADD_ADDRESS, address, account_id, now)
        return Someone(account_id, address, known.player_id)

    async def hurry(self) -> None:
        """Have everything done that is due, as the clock and the workers do in their time."""
        process = self.service.service.process
        tally = WorkTally(lambda _: None, lambda: None, lambda: None)
        await tick(self.room)
        await VerificationWorker(self.room, process.bell, tally).step()

    def login(self, who: Someone) -> Login:
        """Return a login that has just begun."""
        name = f"log_{who.account_id}"
        return Login(name, who.account_id, "person", False, "Tests", datetime.now(UTC))


@asynccontextmanager
async def served_club(database: Database, api_base: str, **more: Any) -> AsyncIterator[ServedClub]:
    """Run a service whose Stripe is at an address, with its worker and its clock."""
    settings = {**OPEN, "stripe_api_base": api_base, "public_url": "https://mahjic.example", **more}
    async with running_service(database, **settings) as service:
        process = service.service.process
        room = verification_of(process, service.service.recording)
        stripe = room.opened.stripe
        assert isinstance(stripe, StripeSdk)
        service.run("verification", run_verification(room, process.bell, process.registry))
        async with aclosing(stripe):
            yield ServedClub(service, room)
            await service.stop_part("verification")
