"""What each page sends that changes something, in the hands of somebody who may send it.

A new page that changes something is tried with the plain form below. If that changes nothing yet,
what it needs stands in `PREPARED`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.roles import SERVE
from shared.http.layers.paths import is_of_site
from tests.accounts.people import ALICE, BEN
from tests.site.login.visiting import HERE
from tests.site.whole import at_desks, at_sessions, at_staff, at_stripe, at_webhooks
from tests.site.whole.applying import asked, begun, filled_in, to_decide
from tests.site.whole.scene import CHOICES, CLUB, EVE, FIND_PLAYER, WORK, Scene

# Mail programs press its one button from nowhere: the address itself holds the right to it.
FREE: Final = frozenset({"/mail/no-more/{token}"})
# It gives away everything, and changes nothing.
READ: Final = frozenset({"/me/download"})
# They read, and that somebody of the staff looked for an address is kept.
NOTED: Final = frozenset({"/staff/players/find"})
CHANGING: Final = sorted(
    {route.path for route in SERVE.routes if route.method != "GET" and is_of_site(route.path)}
    - FREE
)
READ_INVITATION: Final = """
SELECT plain FROM mahjic.mails WHERE kind = 'rated' AND address = $1
"""
DRAFT: Final = "nid_0123456789ABCDEF"
# What the tests send with a request, and the token in its address.
Sent = dict[str, Any]


async def plain(scene: Scene) -> Sent:
    """Log in here and elsewhere, and return a form with a field of every name."""
    await scene.here.log_in(ALICE)
    await scene.elsewhere.log_in(ALICE)
    login = await scene.pool.fetchval("SELECT login_id FROM mahjic.logins ORDER BY began_at DESC")
    return form(email=WORK, sure="yes", login=login)


async def with_code(scene: Scene) -> Sent:
    return form(code=(await scene.here.ask(BEN)).code)


async def with_link(scene: Scene) -> Sent:
    return form(token=(await scene.here.ask(BEN)).link_token)


async def code_to_add(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    await scene.here.send("/account/addresses", {"email": WORK})
    return form(code=(await scene.here.house.mails())[-1].code)


async def link_to_add(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    await scene.here.send("/account/addresses", {"email": WORK})
    return form(token=(await scene.here.house.mails())[-1].link_token)


async def two_addresses(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    await scene.add_address(WORK)
    return form(email=WORK, sure="yes")


async def account_beside(scene: Scene) -> Sent:
    await scene.elsewhere.log_in(BEN)
    await scene.here.log_in(ALICE)
    assert await scene.add_address(BEN) == "/account/join"
    return form()


async def own_passkey(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    await scene.make_passkey(scene.here)
    passkey = await scene.pool.fetchval("SELECT passkey_id FROM mahjic.passkeys")
    return form(passkey=passkey, name="The other phone", mail="off")


async def signed_to_enter(scene: Scene) -> Sent:
    await own_passkey(scene)
    options = await scene.here.client.post("/login/passkey/options", headers=HERE)
    return {"json": {"credential": scene.device.sign(options.text), "to": ""}}


async def signed_to_make(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    options = await scene.here.client.post("/account/passkeys/options", headers=HERE)
    return {"json": {"credential": scene.device.make(options.text), "to": ""}}


async def signed_to_join(scene: Scene) -> Sent:
    await scene.elsewhere.log_in(BEN)
    await scene.make_passkey(scene.elsewhere)
    await account_beside(scene)
    options = await scene.here.client.post("/login/passkey/options", headers=HERE)
    return {"json": {"credential": scene.device.sign(options.text), "to": ""}}


async def first_time(scene: Scene) -> Sent:
    await scene.here.log_in(ALICE)
    return {"data": CHOICES}


async def chosen_before(scene: Scene) -> Sent:
    await scene.be_welcomed()
    return {"data": {**CHOICES, "seen": "private"}}


async def own_session(scene: Scene) -> Sent:
    await scene.be_welcomed()
    return form(said="I was not there.")


async def disputed(scene: Scene) -> Sent:
    sent = await own_session(scene)
    path = f"/me/sessions/{scene.session_id}/dispute"
    assert (await scene.here.send(path, sent["data"])).status_code == 303
    return form()


async def two_players(scene: Scene) -> Sent:
    kept = await scene.be_welcomed()
    other = await scene.pool.fetchval(FIND_PLAYER, EVE)
    await scene.add_address(EVE)
    return form(player=other, into=kept, seen="visible")


async def typed_id(scene: Scene) -> Sent:
    return form(typed=await scene.be_welcomed())


async def invited(scene: Scene) -> Sent:
    text = await scene.pool.fetchval(READ_INVITATION, ALICE)
    (token,) = re.findall(r"/invited/([\w-]{43})", text)
    return {"data": {}, "token": token}


async def at_a_desk(scene: Scene) -> Sent:
    """Log an owner of the club in, with a night that is complete and not sent."""
    await scene.here.log_in(ALICE)
    accounts = scene.here.house.accounts
    notices = MemberNotices.of(accounts)
    await add_member(scene.pool, notices, CLUB, ALICE, role="owner", chance=accounts.chance)
    night = {
        "date": "2026-02-27",
        "kind": "social",
        "games-0": "1",
        "who-0-0": ALICE,
        "won-0-0": "1",
        "who-0-1": BEN,
    }
    await scene.here.send(f"/desk/{CLUB}/night/{DRAFT}", {**night, "do": "save"})
    return form(**{**night, "games-0": "2", "do": "save", "as": "new"})


def form(**fields: str) -> Sent:
    return {"data": fields}


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[Sent]]]] = {
    "/login/code": with_code,
    "/login/link": with_link,
    "/login/passkey": signed_to_enter,
    "/account/addresses/code": code_to_add,
    "/account/addresses/link": link_to_add,
    "/account/addresses/remove": two_addresses,
    "/account/join": account_beside,
    "/account/join/passkey": signed_to_join,
    "/account/mail-login": own_passkey,
    "/account/passkeys": signed_to_make,
    "/account/passkeys/name": own_passkey,
    "/desk/{slug}/night/{draft_id}": at_a_desk,
    "/desk/{slug}/night/{draft_id}/drop": at_a_desk,
    "/desk/{slug}/night/{draft_id}/live": at_a_desk,
    "/desk/{slug}/night/{draft_id}/send": at_a_desk,
    **at_desks.PREPARED,
    **at_sessions.PREPARED,
    "/account/passkeys/remove": own_passkey,
    "/become-a-source": filled_in,
    "/become-a-source/{application_id}/answers": asked,
    "/become-a-source/{application_id}/change": begun,
    "/become-a-source/{application_id}/send": begun,
    "/become-a-source/{application_id}/take-back": begun,
    "/staff/applications/{application_id}/approve": to_decide,
    "/staff/applications/{application_id}/ask": to_decide,
    "/staff/applications/{application_id}/decline": to_decide,
    **at_staff.PREPARED,
    **at_stripe.PREPARED,
    **at_webhooks.PREPARED,
    "/invited/{token}": invited,
    "/me/forget": typed_id,
    "/me/merge": two_players,
    "/me/sessions/{session_id}/dispute": own_session,
    "/me/sessions/{session_id}/dispute/take-back": disputed,
    "/me/settings": chosen_before,
    "/me/welcome": first_time,
}


async def what_changes(scene: Scene, path: str) -> tuple[str, Sent]:
    """Make somebody ready to change something at an address; return where and what to send."""
    sent = await PREPARED.get(path, plain)(scene)
    filled = {"slug": CLUB, "draft_id": DRAFT, "session_id": scene.session_id}
    named = {name for name in re.findall(r"{(\w+)}", path) if name in sent}
    return path.format_map(filled | {name: sent.pop(name) for name in named}), sent
