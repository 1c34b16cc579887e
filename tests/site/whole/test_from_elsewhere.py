"""What another site, another port or no page at all causes is refused by every page, and changes
nothing; what a page of ours sends is heard."""

import pytest

from services.roles import SERVE
from shared.http.layers.paths import INTERFACE_PATH, ONE_CLICK_PATH
from tests.accounts.people import ALICE
from tests.db.rows import changed_tables, rows_by_table
from tests.site.login.visiting import HERE
from tests.site.serving import ORIGIN
from tests.site.whole.changing import CHANGING, FREE, NOTED, PREPARED, READ, what_changes
from tests.site.whole.scene import Scene, is_refused_as_cross_site

REFUSED = [
    {},
    {"Origin": "null"},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "http://mahjic.example.org"},
    {"Origin": "https://mahjic.example.org:8443"},
    {"Origin": "https://mahjic.example.org.elsewhere.example"},
    {"Origin": "https://www.mahjic.example.org"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-origin, cross-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-site", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://elsewhere.example"},
    {"Referer": f"{ORIGIN}/account"},
    {"Host": "mahjic.example.org", "X-Forwarded-Host": "mahjic.example.org"},
]
# What staff do is kept before it is done, so that alone is no change.
ACTS = "mahjic.staff_acts"
OF_PROGRAMS = sorted(
    {
        (route.method, route.path)
        for route in SERVE.routes
        if route.method != "GET" and route.path.startswith(INTERFACE_PATH)
    }
)


@pytest.mark.parametrize("path", CHANGING)
async def test_nothing_changes_but_for_a_page_of_ours(scene: Scene, path: str) -> None:
    target, sent = await what_changes(scene, path)
    before = await rows_by_table(scene.pool)
    for headers in REFUSED:
        answer = await scene.here.client.post(target, headers=headers, **sent)
        assert is_refused_as_cross_site(answer), (headers, answer.status_code, answer.text)
    assert await changed_tables(scene.pool, before) == {}
    # So it was not for want of something else that it changed nothing.
    heard = await scene.here.client.post(target, headers=HERE, **sent)
    assert heard.status_code < 400, heard.text
    changed = {*await changed_tables(scene.pool, before)}
    assert path in READ or changed - ({ACTS} if path not in NOTED else set()), (
        f"{path} changed nothing. Put what it needs into PREPARED of tests/site/whole/changing.py."
    )


@pytest.mark.parametrize(("method", "path"), OF_PROGRAMS, ids=" ".join)
async def test_to_the_interface_for_programs_a_login_is_nothing(
    scene: Scene, method: str, path: str
) -> None:
    await scene.here.log_in(ALICE)
    before = await rows_by_table(scene.pool)
    for headers in (HERE, {"Origin": ORIGIN}, {}):
        answer = await scene.here.client.request(method, path, headers=headers, json={})
        bare = await scene.elsewhere.client.request(method, path, headers=headers, json={})
        assert answer.status_code == bare.status_code
        # 400: what Stripe tells is signed, and this isn't.
        assert answer.status_code in {400, 401, 413, 415, 422}, answer.text
        assert "set-cookie" not in answer.headers
    assert await changed_tables(scene.pool, before) == {}


def test_the_tables_name_routes_that_there_are() -> None:
    assert len(CHANGING) > 15
    assert len(OF_PROGRAMS) > 15
    assert {*PREPARED, *READ, *NOTED} <= set(CHANGING)
    assert {route.path for route in SERVE.routes} >= FREE
    assert all(path.startswith(ONE_CLICK_PATH) for path in FREE)
