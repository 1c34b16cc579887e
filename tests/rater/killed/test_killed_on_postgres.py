"""A rater killed at any instant of a long correction on Postgres writes the very same bytes."""

from pathlib import Path

import pytest

from tests.conftest import Database
from tests.log.adapters import Logs
from tests.log.chances import seeded_chance
from tests.rater.killed.killing import KILLED_S_MAX, a_site, assert_same_bytes_after_kills

pytestmark = pytest.mark.timeout(KILLED_S_MAX)


async def test_killed_at_every_instant_of_a_correction_on_postgres(
    postgres_logs: Logs, database: Database, tmp_path: Path
) -> None:
    chance = seeded_chance()
    arguments = ("postgres", "", database.dsn)
    await assert_same_bytes_after_kills(a_site(postgres_logs, tmp_path, arguments, chance), chance)
