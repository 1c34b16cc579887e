"""Owners add addresses, change their secrets, switch them off and remove them; nobody else does."""

import re

import pytest
from standardwebhooks import Webhook

from services.notices.webhooks.endpoints import new_endpoint_id
from tests.notices.webhooks.receiver import says
from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.desk.webhooks.conftest import WEBHOOKS, WebhookDesk
from tests.site.players.reading import PageRead

_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


async def secrets_at(desk: WebhookDesk, here: str) -> list[str]:
    return _SECRET.findall((await desk.owner.get(here)).text)


async def listed(desk: WebhookDesk) -> int:
    return len(list((await desk.owner.page(WEBHOOKS)).main.all("li", class_="kept")))


async def test_an_address_that_is_added_gets_what_happens_signed_with_its_secret(
    desk: WebhookDesk,
) -> None:
    here = await desk.add("/events")
    page = await desk.owner.page(f"{here}?done=added")
    assert "Added." in page.main.one("p", role="status").text
    (secret,) = await secrets_at(desk, here)
    await desk.night()
    assert await desk.hooked.send_due() == ["delivered"]
    (got,) = desk.receiver.at("/events")
    assert Webhook(secret).verify(got.body, got.headers)["type"] == "session.rated"
    page = await desk.owner.page(WEBHOOKS)
    (line,) = page.main.all("li", class_="kept")
    assert desk.receiver.url("/events") in line.text
    assert "On." in line.text
    assert here in page.main.links()


async def test_all_owners_get_a_mail_that_names_the_server_and_no_secret(desk: WebhookDesk) -> None:
    await desk.desks.make(SCORER, "owner")
    here = await desk.add()
    (secret,) = await secrets_at(desk, here)
    told = [each for each in await desk.desks.town.house.mails() if each.kind == "webhook_added"]
    assert sorted(each.address for each in told) == sorted([OWNER, SCORER])
    for each in told:
        assert "127.0.0.1" in each.text
        assert f"{WEBHOOKS}\n" in each.text
        assert secret not in each.text + each.html


async def test_a_form_that_is_sent_twice_adds_one_address(desk: WebhookDesk) -> None:
    form = (await desk.owner.page(WEBHOOKS)).main.one("form", action=WEBHOOKS)
    endpoint_id = form.one("input", name="endpoint").attributes["value"]
    sent = {"endpoint": endpoint_id, "url": desk.receiver.url()}
    for _ in range(2):
        assert (await desk.owner.send(WEBHOOKS, sent)).status_code == 303
    assert await listed(desk) == 1
    mails = await desk.desks.town.house.mails()
    assert len([each for each in mails if each.kind == "webhook_added"]) == 1
    # Another club can't take it over with the same form.
    stranger = await desk.desks.browser_of(STRANGER)
    assert (await stranger.send(f"/desk/{OTHER}/webhooks", sent)).status_code == 404


async def test_a_sixth_address_is_refused(desk: WebhookDesk) -> None:
    for number in range(5):
        await desk.add(f"/{number}")
    page = await desk.owner.page(WEBHOOKS)
    assert "as many as a club can have" in page.main.text
    assert not list(page.main.all("form", action=WEBHOOKS))
    form = {"endpoint": new_endpoint_id(), "url": desk.receiver.url("/5")}
    refused = await desk.owner.send(WEBHOOKS, form)
    assert refused.status_code == 409
    assert (
        "Remove one that is not used" in PageRead(refused.text).main.one("div", role="alert").text
    )
    assert await listed(desk) == 5


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Give a whole address"),
        ("club.example/events", "begins with https://"),
        ("http://club.example/events", "must begin with https://"),
        ("https://club.example:22/", "The port is 443, or 1024 to 65535."),
        ("https://me:secret@club.example/", "no user name or password"),
        ("https://" + "x" * 600, "at most 500 characters"),
        ("https://localhost/<script>", "special characters"),
        ("https://127.0.0.1/", "not on the open internet"),
        ("https://localhost/", "not on the open internet"),
        ("https://10.1.2.3/", "not on the open internet"),
        ("https://[::ffff:169.254.169.254]/", "not on the open internet"),
    ],
)
async def test_where_nothing_can_be_sent_is_said_and_what_was_typed_stays(
    desks: Desks, typed: str, words: str
) -> None:
    owner = await desks.browser_of(OWNER)
    answer = await owner.send(WEBHOOKS, {"endpoint": new_endpoint_id(), "url": typed})
    assert answer.status_code == 422
    page = PageRead(answer.text)
    assert words in page.main.one("p", id="url-wrong").text
    field = page.main.one("input", id="url")
    assert field.attributes["aria-invalid"] == "true"
    assert field.attributes["value"] == typed[:503]
    assert "#url" in page.main.links()
    assert (
        await desks.town.house.pool.fetchval("SELECT count(*) FROM mahjic.webhook_endpoints") == 0
    )


async def test_a_secret_is_changed_without_a_gap(desk: WebhookDesk) -> None:
    here = await desk.add()
    (old,) = await secrets_at(desk, here)
    await desk.press(f"{here}/change", do="make_secret")
    new, still = await secrets_at(desk, here)
    assert still == old != new
    again = await desk.owner.send(f"{here}/change", {"do": "make_secret"})
    assert again.status_code == 409
    assert "Stop using the old one first" in again.text
    await desk.night()
    await desk.hooked.send_due()
    for each in (old, new):
        Webhook(each).verify(desk.receiver.requests[0].body, desk.receiver.requests[0].headers)
    await desk.press(f"{here}/change", do="end_secret")
    assert await secrets_at(desk, here) == [new]


async def test_an_address_that_is_off_gets_everything_once_it_is_on_again(
    desk: WebhookDesk,
) -> None:
    here = await desk.add()
    await desk.press(f"{here}/change", do="off")
    assert "an owner switched it off" in (await desk.owner.page(here)).main.text
    await desk.night()
    assert await desk.hooked.send_due() == []
    await desk.press(f"{here}/change", do="on")
    assert await desk.hooked.send_due() == ["delivered"]


async def test_how_an_address_stands_is_told_and_a_pause_is_ended_by_hand(
    desk: WebhookDesk,
) -> None:
    here = await desk.add()
    desk.receiver.usual = says(500)
    await desk.night()
    await desk.hooked.send_due()
    assert re.search(
        r"Not reached since .* The next try is at", (await desk.owner.page(here)).main.text
    )
    desk.receiver.usual = says(204)
    assert await desk.hooked.send_due() == []
    await desk.press(f"{here}/try")
    assert await desk.hooked.send_due() == ["delivered"]
    desk.receiver.usual = says(410)
    await desk.night("2026-02-01")
    await desk.hooked.send_due()
    assert "no longer takes events (410)" in (await desk.owner.page(WEBHOOKS)).main.text
    # What was refused in the end waits for nothing once the address is switched on.
    desk.receiver.usual = says(204)
    await desk.press(f"{here}/change", do="on")
    assert await desk.hooked.send_due() == ["delivered"]


async def test_an_address_is_removed_after_a_question_and_the_list_says_who_did_what(
    desk: WebhookDesk,
) -> None:
    here = await desk.add()
    endpoint_id = here.rpartition("/")[2]
    for change in ("off", "on", "make_secret", "end_secret"):
        await desk.press(f"{here}/change", do=change)
    page = await desk.owner.page(f"{here}/remove")
    page.main.one("form", action=f"{here}/remove")
    await desk.press(f"{here}/remove")
    assert "Removed" in (await desk.owner.page(f"{WEBHOOKS}?done=removed")).main.text
    for path in (here, f"{here}/remove", f"{here}/events/1"):
        assert (await desk.owner.get(path)).status_code == 404
    assert (await desk.owner.send(f"{here}/remove")).status_code == 404
    acts = (await desk.owner.page(f"/desk/{CLUB}/acts")).main.text
    for did in (
        f"Added {endpoint_id} for events",
        f"Switched {endpoint_id} off",
        f"Switched {endpoint_id} on",
        f"Made a new secret for {endpoint_id}",
        f"Stopped using the old secret of {endpoint_id}",
        f"Removed {endpoint_id}",
    ):
        assert did in acts


async def test_without_a_login_of_the_last_minutes_no_secret_is_shown_and_nothing_changes(
    desk: WebhookDesk,
) -> None:
    here = await desk.add()
    await desk.owner.make_stale()
    assert await secrets_at(desk, here) == []
    assert f"/login?to={here}" in (await desk.owner.page(here)).main.links()
    assert f"/login?to={here}/remove" in (await desk.owner.page(f"{here}/remove")).main.links()
    form = {"endpoint": new_endpoint_id(), "url": desk.receiver.url()}
    assert (await desk.owner.send(WEBHOOKS, form)).status_code == 403
    for change in ("off", "make_secret", "end_secret"):
        assert (await desk.owner.send(f"{here}/change", {"do": change})).status_code == 403
    assert (await desk.owner.send(f"{here}/remove")).status_code == 403
    assert await listed(desk) == 1


async def test_addresses_are_not_added_without_pause(desk: WebhookDesk) -> None:
    for number in range(10):
        await desk.press(f"{await desk.add(f'/{number}')}/remove")
    form = {"endpoint": new_endpoint_id(), "url": desk.receiver.url()}
    refused = await desk.owner.send(WEBHOOKS, form)
    assert refused.status_code == 429
    assert "in the last hour" in refused.text
    assert await listed(desk) == 0


async def test_names_are_not_looked_up_without_pause(desk: WebhookDesk) -> None:
    answers = [
        await desk.owner.send(
            WEBHOOKS, {"endpoint": new_endpoint_id(), "url": f"https://10.0.0.{number}/"}
        )
        for number in range(11)
    ]
    assert [each.status_code for each in answers] == [*[422] * 10, 429]
