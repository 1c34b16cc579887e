"""Answers with a player's rating chart, for everyone who asks, in one shape."""

from services.projections.answering.reading import ViewReader
from services.projections.charts.answers import RatingChart
from services.projections.charts.points import shown_chart
from services.projections.charts.queries import POINTS_MAX, read_points


async def answer_chart(reader: ViewReader, player_id: str) -> RatingChart:
    """Return a public player's chart. Raises NoPublicPlayer."""
    return shown_chart(await read_points(reader, player_id), player_id, POINTS_MAX)
