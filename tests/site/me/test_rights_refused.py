"""The pages of a person's rights do nothing for anyone else, nor for who only found a browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from services.site.api import SITE_ROUTES
from services.site.me.dispute import DISPUTE_ROUTES
from services.site.me.download import DOWNLOAD_ROUTES
from services.site.me.forget import FORGET_ROUTES
from services.site.me.merge import MERGE_ROUTES
from tests.accounts.people import BEN
from tests.site.me.living import Living
from tests.site.me.whole_life import ADA, WORK, add_address

ELSEWHERE = {"Sec-Fetch-Site": "cross-site"}


@dataclass(frozen=True)
class Change:
    """What one of the pages changes: where, and with what; `{ada}` and the like are filled in."""

    path: str
    form: Mapping[str, str] = field(default_factory=dict)
    # Whether it needs a login of the last minutes.
    hurts: bool = False
    # Whether others are told about themselves there, and nothing of her.
    is_for_everyone: bool = False


CHANGES = {
    "say": Change("/me/sessions/{session}/dispute", {"said": "Not me."}),
    "take back": Change("/me/sessions/{session}/dispute/take-back"),
    "merge": Change(
        "/me/merge", {"player": "{work}", "into": "{ada}", "seen": "visible"}, hurts=True
    ),
    "download": Change("/me/download", hurts=True, is_for_everyone=True),
    "forget": Change("/me/forget", {"typed": "{ada}"}, hurts=True),
}
PAGES = ("/me/disputes", "/me/merge", "/me/merge/done", "/me/download", "/me/forget")


async def fill(life: Living, change: Change, session_id: str) -> tuple[str, dict[str, str]]:
    known = {
        "ada": await life.player_of(ADA),
        "work": await life.player_of(WORK),
        "session": session_id,
    }
    form = {name: value.format(**known) for name, value in change.form.items()}
    return change.path.format(**known), form


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_nothing_is_changed_for_whoever_may_not(life: Living, change: Change) -> None:
    session_id = await life.play({"ada": 2, "ben": 1})
    await life.play({"cy": 2, "ben": 1})
    await life.play({WORK: 1, "dee": 0}, on="2026-01-02")
    path, form = await fill(life, change, session_id)
    ada = await life.logged_in(ADA)
    await add_address(ada, WORK)
    if change.path.endswith("/take-back"):
        await ada.send(path.removesuffix("/take-back"), {"said": "Not me."})
    cy = await life.logged_in("cy@example.com", "203.0.113.5")
    nobody = await life.browser("203.0.113.6")
    before = await life.kept()
    refused = await nobody.send(path, form)
    assert refused.status_code == 401
    assert 'href="/login"' in refused.text
    from_elsewhere = await ada.client.post(path, data=form, headers=ELSEWHERE)
    assert from_elsewhere.status_code == 403
    assert "another site" in from_elsewhere.text
    others = await cy.send(path, form)
    if change.is_for_everyone:
        assert others.status_code == 200
        assert ADA not in others.text
    else:
        assert others.status_code in {403, 404, 409, 422}
    assert await life.kept() == before
    await life.hours_pass()
    if change.hurts:
        before = await life.kept()
        stale = await ada.send(path, form)
        assert stale.status_code == 403
        assert 'href="/login?to=' in stale.text
        assert await life.kept() == before
        await ada.log_in(ADA)
    done = await ada.send(path, form)
    assert done.status_code in {200, 303}, "It must be what is refused to others that is tried."


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_leads_to_the_login_and_back(life: Living, path: str) -> None:
    answer = await (await life.browser()).get(path)
    assert (answer.status_code, answer.headers["location"]) == (302, f"/login?to={path}")
    assert answer.headers["cache-control"] == "no-store"


async def test_new_staff_are_led_to_their_first_passkey(life: Living) -> None:
    visitor = await life.logged_in(BEN)
    await life.pool.execute("UPDATE mahjic.logins SET kind = 'first_passkey'")
    for path in PAGES:
        assert (await visitor.get(path)).headers["location"] == "/account"
    for change in CHANGES.values():
        assert (await visitor.send(change.path, change.form)).status_code == 403


def test_every_change_is_tried() -> None:
    routes = {
        route.path
        for route in (*DISPUTE_ROUTES, *MERGE_ROUTES, *DOWNLOAD_ROUTES, *FORGET_ROUTES)
        if route.method == "POST"
    }
    assert routes <= {route.path for route in SITE_ROUTES}
    assert {change.path.replace("{session}", "{session_id}") for change in CHANGES.values()} == (
        routes
    )
