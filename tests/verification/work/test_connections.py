"""While Stripe hangs, a service with the fewest connections allowed has one for everything else."""

import pytest
from pydantic import ValidationError

from services.verification.work.worker import CARRIERS
from shared.settings import Settings

# For notifications, the right to rate, the sign that it keeps the views, and two for a build.
KEPT_BY_OTHERS = 5


def test_fewer_connections_than_are_kept_and_one_more_are_refused() -> None:
    kept = KEPT_BY_OTHERS + CARRIERS
    with pytest.raises(ValidationError):
        Settings(database_connections_max=kept)
    Settings(database_connections_max=kept + 1)
