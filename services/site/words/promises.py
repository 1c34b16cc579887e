"""The limits and times that the pages promise, taken from what the service runs with."""

from dataclasses import dataclass

from services.accounts.logging_in.logins import UNUSED_MAX
from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from shared.limits import GAMES_MAX, ROUNDS_MAX, SEATS_MAX, SEATS_MIN
from shared.settings import Settings


@dataclass(frozen=True, slots=True)
class Promises:
    """What a reader may rely on. Whoever changes a setting changes the pages with it."""

    idempotency_days: int
    change_days: int
    erased_clean_minutes: int
    public_per_minute: int
    source_per_minute: int
    dry_runs_per_minute: int
    body_bytes_max: int
    sheet_bytes_max: int
    wait_s: int
    wait_s_max: int
    board_games_min: int = GAMES_MIN_DEFAULT
    seats_min: int = SEATS_MIN
    seats_max: int = SEATS_MAX
    games_max: int = GAMES_MAX
    rounds_max: int = ROUNDS_MAX
    login_days: int = UNUSED_MAX["person"].days


def promises_of(settings: Settings) -> Promises:
    """Return what a service with these settings promises."""
    return Promises(
        idempotency_days=settings.idempotency_days,
        change_days=settings.change_days_max,
        # Rounded up: a promise that is kept early is no lie.
        erased_clean_minutes=int(-(-settings.erased_clean_s // 60)),
        public_per_minute=settings.public_limit_per_minute,
        source_per_minute=settings.source_limit_per_minute,
        dry_runs_per_minute=settings.dry_run_limit_per_minute,
        body_bytes_max=settings.body_bytes_max,
        sheet_bytes_max=settings.sheet_bytes_max,
        wait_s=int(-(-settings.wait_s_default // 1)),
        wait_s_max=int(-(-settings.wait_s_max // 1)),
    )
