"""A club's whole way, from its application to a night that staff take out, in a real browser."""

from collections import Counter
from pathlib import Path

import pytest
from playwright.async_api import Browser

from shared.db.server.embedded import EmbeddedServer
from tests.browser.desks.coming import (
    apply,
    be_approved,
    be_asked,
    make_staff,
    make_the_first_key,
)
from tests.browser.desks.helpers import both_enter_a_night, invite_a_scorer, remove_the_scorer
from tests.browser.desks.nights import correct_it, enter_the_first_night, upload_the_sheet
from tests.browser.desks.story import OPERATOR, Story
from tests.browser.desks.troubles import enter_a_night_in_spite_of_everything, void_one
from tests.browser.life.served import a_served_house
from tests.browser.life.steps import Life
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.visitors import DESKTOP, PHONE, visiting
from tests.processes import mahjic


@pytest.mark.starts_servers
async def test_from_the_application_to_a_night_that_staff_take_out(
    browser: Browser, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with (
        a_served_house(postgres_server) as (house, folder),
        visiting(browser, house.url, PHONE) as phone,
        visiting(browser, house.url, PHONE) as other_phone,
        visiting(browser, house.url, DESKTOP) as desk,
        a_device_with_passkeys(desk.page),
    ):
        story = Story(house, Life(house, phone), Life(house, other_phone), Life(house, desk))
        data = {"MAHJIC_DATA": str(folder)}
        await mahjic(data, "staff", "add", OPERATOR, "--role", "operator")
        await make_staff(story)
        await apply(story)
        await be_asked(story)
        await be_approved(story)
        await make_the_first_key(story)
        await enter_the_first_night(story)
        await correct_it(story)
        await upload_the_sheet(story, tmp_path)
        await invite_a_scorer(story)
        await both_enter_a_night(story)
        await remove_the_scorer(story)
        await enter_a_night_in_spite_of_everything(story)
        await void_one(story)
        await check_the_record(story)


async def check_the_record(story: Story) -> None:
    """Fail unless the log has exactly what was done: each night once, whatever happened to it."""
    facts = [each for each in await story.facts() if "session" in each["type"]]
    assert Counter(each["type"] for each in facts) == {
        "session-submitted.v1": 4,
        "session-corrected.v1": 1,
        "sessions-voided.v1": 1,
    }, facts
    submitted = [each for each in facts if each["type"] == "session-submitted.v1"]
    kept = [story.sessions[what] for what in ("night", "sheet", "both", "in spite of everything")]
    assert [each["data"]["session_id"] for each in submitted] == kept
    counting = {"corrected", "both", "in spite of everything"}
    assert set(await story.listed()) == {story.sessions[what] for what in counting}
