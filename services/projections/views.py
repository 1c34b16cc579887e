"""Lists the views that this program keeps."""

from collections.abc import Sequence

from services.projections.common.tables import AttestedView
from services.projections.history.project import History
from services.projections.leaderboards.project import Leaderboards
from services.projections.profiles.project import Profiles
from services.projections.sessions.project import Sessions
from services.projections.sources.project import Sources


def all_views() -> Sequence[AttestedView]:
    """Return every view; search has none of its own and reads mahjic.shown_people."""
    return (Profiles(), History(), Leaderboards(), Sessions(), Sources())
