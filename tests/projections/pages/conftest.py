"""The reads of the pages, over a season."""

import pytest

from services.projections.history.reads import Histories
from services.projections.pages.board_pages import BoardPages
from services.projections.pages.player_pages import FormulaPages, PlayerPages
from services.projections.pages.sitemap_pages import SitemapPages
from services.site.reads import SiteReads
from tests.projections.conftest import ROUNDS_MAX, TODAY, World
from tests.projections.patience import patient_replays


def reads_of(world: World, histories: Histories | None = None) -> SiteReads:
    """Return what the pages read, as the wiring makes it."""
    replays = patient_replays(world.season.facts, rounds_max=ROUNDS_MAX)
    return SiteReads(
        boards=BoardPages(world.reader, today_utc=lambda: TODAY),
        players=PlayerPages(histories or Histories(world.reader, replays)),
        formula=FormulaPages(world.reader),
        sitemap=SitemapPages(world.reader),
    )


@pytest.fixture
def pages(world: World) -> SiteReads:
    return reads_of(world)
