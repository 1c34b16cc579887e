"""What owners and the invited send that changes something at the desk of a club."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import MemberRole
from shared.access.keys import create_key
from tests.accounts.people import ALICE, BEN
from tests.site.whole.scene import CLUB, EVE, Scene

INVITE: Final = """
INSERT INTO mahjic.member_invitations
SELECT 'inv_0123456789ABCDEF', $1, $2, 'scorer', account_id, now() FROM mahjic.addresses
WHERE address = $3
"""
LIST: Final = """
INSERT INTO mahjic.roster (source, address, name, written_at)
VALUES ($1, 'zoe@example.com', 'Zoe', now()) RETURNING number
"""
FIND_ACCOUNT: Final = "SELECT account_id FROM mahjic.addresses WHERE address = $1"


async def member(scene: Scene, address: str, role: MemberRole) -> str:
    """Make somebody a member of the club, and return their account."""
    accounts = scene.here.house.accounts
    notices, chance = MemberNotices.of(accounts), accounts.chance
    return await add_member(scene.pool, notices, CLUB, address, role=role, chance=chance)


async def owner(scene: Scene) -> None:
    """Log an owner of the club in."""
    await scene.here.log_in(ALICE)
    await member(scene, ALICE, "owner")


async def inviting(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {"email": EVE, "role": "scorer"}}


async def withdrawing(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    await scene.pool.execute(INVITE, CLUB, EVE, ALICE)
    return {"data": {"invitation": "inv_0123456789ABCDEF"}}


async def changing_a_member(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {"member": await member(scene, BEN, "scorer"), "role": "owner"}}


async def leaving(scene: Scene) -> dict[str, Any]:
    await scene.here.log_in(ALICE)
    await member(scene, ALICE, "scorer")
    return {"data": {}}


async def invited(scene: Scene) -> dict[str, Any]:
    await scene.here.log_in(ALICE)
    await member(scene, BEN, "owner")
    await scene.pool.execute(INVITE, CLUB, ALICE, BEN)
    return {"data": {}, "invitation_id": "inv_0123456789ABCDEF"}


async def making_a_key(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {"key": "key_0123ABCD", "name": "Score app"}}


async def revoking_a_key(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    key, _ = await create_key(scene.pool, "source", CLUB, now=scene.here.house.clock.now())
    return {"data": {"key": key.key_id}}


async def saying(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {"site": "https://lakeside.example.org", "about": "Mondays.", "invites": "no"}}


async def adding_a_player(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {"name": "Zoe", "address": "zoe@example.com"}}


async def listed_player(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    number = await scene.pool.fetchval(LIST, CLUB)
    return {"data": {"name": "Zoe B."}, "entry": f"new-{number}"}


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[dict[str, Any]]]]] = {
    "/desk/{slug}/members/invite": inviting,
    "/desk/{slug}/members/withdraw": withdrawing,
    "/desk/{slug}/members/role": changing_a_member,
    "/desk/{slug}/members/remove": changing_a_member,
    "/desk/{slug}/leave": leaving,
    "/desk/{slug}/keys": making_a_key,
    "/desk/{slug}/keys/revoke": revoking_a_key,
    "/desk/{slug}/profile": saying,
    "/desk/{slug}/players/add": adding_a_player,
    "/desk/{slug}/players/{entry}/rename": listed_player,
    "/desk/{slug}/players/{entry}/take-off": listed_player,
    "/invitations/{invitation_id}/accept": invited,
    "/invitations/{invitation_id}/decline": invited,
}
