"""What owners read of what was done at their desk: all of it, in order, and by names they know."""

from datetime import timedelta

import pytest

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import Login
from services.accounts.members.changing import change_role, remove_member
from services.accounts.members.desks import OwnersOnly, UnknownDesk
from services.accounts.members.inviting import (
    decline_invitation,
    invite_member,
    list_invited,
    own_invitations,
    withdraw_invitation,
)
from services.accounts.members.reading_acts import ListedDeskAct, list_desk_acts
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.accounts.sweeping import sweep_accounts
from tests.accounts.members.conftest import Club
from tests.accounts.members.sources import HILLTOP, LAKESIDE
from tests.accounts.people import BEN

CAROL, DORA = "carol@example.com", "dora@example.com"


async def acts(club: Club, owner: Login) -> list[ListedDeskAct]:
    """Return all acts, the first one first, read in pages of three."""
    read: list[ListedDeskAct] = []
    while True:
        before = read[-1].number if read else None
        page = await list_desk_acts(club.house.accounts, owner, LAKESIDE, before=before, limit=3)
        read += page
        if len(page) < 3:
            return read[::-1]


async def told(club: Club, owner: Login) -> list[tuple[str, str, str | None]]:
    """Return who did what about whom."""
    return [
        (
            (each.doer or "") if each.done_by == "member" else each.done_by,
            each.act,
            "you" if each.is_about_you else each.whom,
        )
        for each in await acts(club, owner)
    ]


async def test_each_change_is_a_line(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    await change_role(accounts, owner, LAKESIDE, ben.account_id, "owner")
    await invite_member(accounts, ben, LAKESIDE, CAROL, "owner")
    (waiting,) = await list_invited(accounts, owner, LAKESIDE)
    await withdraw_invitation(accounts, owner, LAKESIDE, waiting.invitation_id)
    await invite_member(accounts, owner, LAKESIDE, DORA, "scorer")
    dora = await club.house.log_in(DORA)
    (invitation,) = await own_invitations(accounts, dora)
    await decline_invitation(accounts, dora, invitation.invitation_id)
    await change_role(accounts, owner, LAKESIDE, ben.account_id, "scorer")
    await remove_member(accounts, ben, LAKESIDE, ben.account_id)
    await club.join(owner, CAROL)
    carol = await club.house.log_in(CAROL)
    await remove_member(accounts, owner, LAKESIDE, carol.account_id)
    expected = [
        ("operator", "make_owner", "you"),
        ("you", "invite_scorer", BEN),
        ("gone", "join_as_scorer", BEN),
        ("you", "make_owner", BEN),
        ("gone", "invite_owner", CAROL),
        ("you", "withdraw_invitation", CAROL),
        ("you", "invite_scorer", DORA),
        ("gone", "decline_invitation", DORA),
        ("you", "make_scorer", BEN),
        ("gone", "leave", BEN),
        ("you", "invite_scorer", CAROL),
        ("gone", "join_as_scorer", CAROL),
        ("you", "remove_member", CAROL),
    ]
    assert await told(club, owner) == expected
    # By then nobody needs the addresses of those who are gone.
    club.house.clock.wind(timedelta(days=30, seconds=-1))
    await sweep_accounts(accounts)
    assert await told(club, owner) == expected
    club.house.clock.wind(timedelta(seconds=1))
    await sweep_accounts(accounts)
    assert [whom for _, _, whom in await told(club, owner)] == ["you", *[None] * 12]


async def test_by_whom_a_member_did_it_is_said_by_the_address_the_source_knows(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN, "owner")
    await invite_member(accounts, ben, LAKESIDE, CAROL, "scorer")
    # Somebody who declined by another address than they are a member by is not told apart by it.
    await club.house.pool.execute(
        "INSERT INTO mahjic.addresses VALUES ($1, $2, now())", CAROL, ben.account_id
    )
    (invitation,) = await own_invitations(accounts, ben)
    await decline_invitation(accounts, ben, invitation.invitation_id)
    assert (await told(club, owner))[-2:] == [
        (BEN, "invite_scorer", CAROL),
        ("gone", "decline_invitation", CAROL),
    ]


async def test_only_owners_of_the_source_read_it(club: Club) -> None:
    owner = await club.appoint()
    scorer, stranger = await club.join(owner, BEN), await club.appoint(CAROL, source=HILLTOP)
    for who, error in ((scorer, OwnersOnly), (stranger, UnknownDesk)):
        with pytest.raises(error):
            await acts(club, who)


async def test_nothing_in_it_tells_of_somebody_who_is_forgotten_or_of_an_address_taken_off(
    club: Club,
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN, "owner")
    await invite_member(accounts, ben, LAKESIDE, DORA, "scorer")
    mail = await club.house.ask(CAROL, for_account=ben.account_id)
    await add_by_link(accounts, ben, mail.link_token)
    await remove_address(accounts, ben, BEN)
    assert BEN not in repr(await rows(club))
    assert ben.account_id in repr(await rows(club))
    async with club.house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [CAROL])
        await erase_accounts(connection, [DORA])
    assert ben.account_id not in repr(await rows(club))
    assert DORA not in repr(await rows(club))
    assert [act for _, act, _ in await told(club, owner)][-1] == "invite_scorer"
    noted = await club.house.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert "desk_acts" in {row[0] for row in noted}


async def rows(club: Club) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await club.house.pool.fetch("SELECT * FROM mahjic.desk_acts")]


async def test_nobody_is_in_what_a_refusal_undid(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    before = await acts(club, owner)
    for wrong in ("", "\x00", "acc_0000000000000000", "x" * 10_000):
        with pytest.raises(Exception, match="not a member"):
            await remove_member(accounts, owner, LAKESIDE, wrong)
    assert await acts(club, owner) == before
