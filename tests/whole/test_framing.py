"""Every page refuses to be shown in a frame of another site, but for those made for it."""

from typing import Final

from services.roles import SERVE
from tests.conftest import Database
from tests.service import UNLIMITED, running_service
from tests.site.serving import HTML
from tests.whole.test_across_sites import filled, places

REFUSES: Final = "frame-ancestors 'none'"
MADE_FOR_FRAMES: Final = {
    "/embed/leaderboard",
    "/embed/leaderboard/{slug}",
    "/embed/player/{player_id}",
    "/embed/calculator",
}


async def test_only_pages_made_for_frames_may_be_shown_in_one(database: Database) -> None:
    framed, pages = set(), set()
    async with running_service(database, page_limit_per_minute=UNLIMITED) as running:
        named = await places(running)
        for route in SERVE.routes:
            # Whoever reads pages gets one, whatever becomes of the request.
            url = filled(route.path, named | {"slug": "a-club"})
            answer = await running.client.request(route.method, url, headers=HTML)
            policies = answer.headers.get_list("content-security-policy")
            assert len(policies) == 1, (route.method, url, policies)
            if REFUSES not in policies[0]:
                framed.add(route.path)
            if answer.headers.get("content-type", "").startswith("text/html"):
                pages.add(route.path)
            assert "x-frame-options" not in answer.headers, "It would have to say the same."
    assert framed == MADE_FOR_FRAMES
    assert len(pages) > 80
