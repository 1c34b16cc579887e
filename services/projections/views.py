"""Lists the views that this program keeps."""

from collections.abc import Sequence

from services.projections.common.tables import AttestedView
from services.projections.history.project import HistoryView
from services.projections.leaderboards.project import LeaderboardsView
from services.projections.profiles.project import ProfilesView
from services.projections.sessions.project import SessionsView
from services.projections.sources.project import SourcesView


def all_views() -> Sequence[AttestedView]:
    """Return every view. Search has no view of its own and reads mahjic.shown_people."""
    return (ProfilesView(), HistoryView(), LeaderboardsView(), SessionsView(), SourcesView())
