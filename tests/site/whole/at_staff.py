"""What an operator sends from the staff desk that changes something."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from services.accounts.logging_in.logins import Role
from services.accounts.staff import add_staff
from shared.access.sources import suspend_source
from tests.accounts.people import ALICE, BEN
from tests.site.login.visiting import HERE
from tests.site.whole.scene import CHOICES, CLUB, EVE, FIND_PLAYER, Scene

READ_END: Final = "SELECT fact_seq FROM mahjic.head"
READ_SESSIONS: Final = "SELECT session_id FROM mahjic.submissions ORDER BY session_date, fact_seq"
FAIL_MAIL: Final = """
UPDATE mahjic.mails SET tries = 2, smtp_code = 451, due_at = now() + interval '1 hour',
    good_until = now() + interval '1 day'
WHERE kind = 'rated' AND address = $1 RETURNING mail_id
"""
Sent = dict[str, Any]


async def staff(scene: Scene, role: Role) -> None:
    """Log in somebody of the staff, by passkey."""
    await add_staff(scene.pool, BEN, role, scene.here.house.accounts.chance)
    await scene.here.log_in(BEN)
    await scene.make_passkey(scene.here)
    client = scene.here.client
    options = await client.post("/login/passkey/options", headers=HERE)
    signed = {"credential": scene.device.sign(options.text), "to": ""}
    assert (await client.post("/login/passkey", headers=HERE, json=signed)).status_code == 200


async def player(scene: Scene, address: str) -> str:
    player_id: str = await scene.pool.fetchval(FIND_PLAYER, address)
    return player_id


async def end(scene: Scene) -> str:
    """Return the end of the record, as of which pages show what a change would do."""
    return str(await scene.pool.fetchval(READ_END))


async def answering(scene: Scene) -> Sent:
    await scene.elsewhere.log_in(ALICE)
    for path, typed in [
        ("/me/welcome", CHOICES),
        (f"/me/sessions/{scene.session_id}/dispute", {"said": "I was not there."}),
    ]:
        assert (await scene.elsewhere.send(path, typed)).status_code == 303
    await staff(scene, "operator")
    number = await scene.pool.fetchval("SELECT number FROM mahjic.disputes")
    return {"data": {"answer": "Dan says that you were."}, "number": number}


async def adopting(scene: Scene) -> Sent:
    await staff(scene, "operator")
    formula = {"formula": "mahjic-elo/2-scaled", "since": "now", "proposal": "none"}
    return {"data": {**formula, "as_of": await end(scene)}}


async def with_failing_mail(scene: Scene) -> Sent:
    await staff(scene, "operator")
    return {"data": {}, "mail_id": await scene.pool.fetchval(FAIL_MAIL, ALICE)}


async def looking_for(scene: Scene) -> Sent:
    await staff(scene, "operator")
    return {"data": {"email": ALICE}}


async def registering(scene: Scene) -> Sent:
    await staff(scene, "operator")
    return {"data": {"email": "new@example.com"}}


async def forgetting(scene: Scene) -> Sent:
    """Of all acts, this one has a field."""
    await staff(scene, "operator")
    player_id = await player(scene, ALICE)
    return {"data": {"typed": player_id}, "player_id": player_id, "act": "forget"}


async def merging(scene: Scene) -> Sent:
    await staff(scene, "operator")
    into = await player(scene, ALICE)
    return {
        "data": {"into": into, "as_of": await end(scene)},
        "player_id": await player(scene, EVE),
    }


async def merged(scene: Scene) -> Sent:
    sent = await merging(scene)
    player_id = sent["player_id"]
    done = await scene.here.send(f"/staff/players/{player_id}/merge", sent["data"])
    assert done.headers["location"].endswith("?done=merged")
    into = sent["data"]["into"]
    return {"data": {"into": into, "as_of": await end(scene)}, "player_id": player_id}


async def giving_seats(scene: Scene) -> Sent:
    await staff(scene, "operator")
    to = await player(scene, EVE)
    return {
        "data": {"to": to, "sessions": scene.session_id, "as_of": await end(scene)},
        "player_id": await player(scene, ALICE),
    }


async def keeping_a_source(scene: Scene) -> Sent:
    await staff(scene, "operator")
    details = {"name": "The Club", "type": "club", "region": "west"}
    return {"data": {**details, "limit": "1200", "invites": "yes"}}


async def with_suspended_source(scene: Scene) -> Sent:
    await staff(scene, "operator")
    await suspend_source(scene.pool, CLUB)
    return {"data": {}}


async def voiding(scene: Scene) -> Sent:
    await staff(scene, "operator")
    shown = [row["session_id"] for row in await scene.pool.fetch(READ_SESSIONS)]
    mark = hashlib.sha256(" ".join(shown).encode()).hexdigest()[:32]
    meant = {"source": CLUB, "player": "", "from": "2020-01-01", "to": "", "reason": "test_entry"}
    return {"data": {**meant, "as_of": await end(scene), "mark": mark}}


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[Sent]]]] = {
    "/staff/disputes/{number}": answering,
    "/staff/formulas/adopt": adopting,
    "/staff/mail/{mail_id}/drop": with_failing_mail,
    "/staff/mail/{mail_id}/retry": with_failing_mail,
    "/staff/players/find": looking_for,
    "/staff/players/register": registering,
    "/staff/players/{player_id}/do/{act}": forgetting,
    "/staff/players/{player_id}/merge": merging,
    "/staff/players/{player_id}/reseat": giving_seats,
    "/staff/players/{player_id}/unmerge": merged,
    "/staff/sources/{slug}": keeping_a_source,
    "/staff/sources/{slug}/resume": with_suspended_source,
    "/staff/sources/{slug}/suspend": keeping_a_source,
    "/staff/void": voiding,
}
