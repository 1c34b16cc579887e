"""Invited is an address, and a member is who proves it: nobody else, and nobody unasked."""

from datetime import timedelta

import pytest

from services.accounts.logging_in.logins import LoginNotFresh, OnlyFirstPasskey
from services.accounts.members.changing import list_members
from services.accounts.members.desks import OwnersOnly, UnknownDesk, desks_of, role_at
from services.accounts.members.inviting import (
    FROM_SOURCE,
    PENDING_MAX,
    AlreadyInvited,
    InvitationGone,
    TooManyInvitations,
    accept_invitation,
    decline_invitation,
    invite_member,
    list_invited,
    own_invitation,
    own_invitations,
    withdraw_invitation,
)
from services.accounts.owners import WrongAddress
from services.accounts.staff import add_staff
from services.accounts.sweeping import sweep_accounts
from shared.mail.no_more import end_mail
from tests.accounts.members.conftest import Club
from tests.accounts.members.sources import HILLTOP, LAKESIDE
from tests.accounts.people import ALICE, BEN, SITE

CAROL = "carol@example.com"


async def test_whoever_proves_the_address_accepts_and_is_what_they_were_invited_to_be(
    club: Club,
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    await invite_member(accounts, owner, LAKESIDE, " Ben@Example.com", "scorer")
    (mail,) = [each for each in await club.house.mails() if each.kind == "member_invited"]
    assert mail.address == BEN
    (waiting,) = await list_invited(accounts, owner, LAKESIDE)
    assert f"{SITE}/invitations/{waiting.invitation_id}\n" in mail.text
    assert "Lakeside Club invites you to keep score" in " ".join(mail.text.split())
    assert f"{SITE}/mail/no-more/" in mail.text
    assert ALICE not in mail.text + mail.html
    login = await club.house.log_in(BEN)
    (invitation,) = await own_invitations(accounts, login)
    assert invitation == await own_invitation(accounts, login, waiting.invitation_id)
    assert (invitation.source, invitation.role) == (LAKESIDE, "scorer")
    assert await accept_invitation(accounts, login, invitation.invitation_id) == LAKESIDE
    assert await role_at(accounts, login, LAKESIDE) == "scorer"
    assert [(each.source, each.name, each.role) for each in await desks_of(accounts, login)] == [
        (LAKESIDE, "Lakeside Club", "scorer")
    ]
    told = [(each.role, each.address) for each in await list_members(accounts, owner, LAKESIDE)]
    assert told == [("owner", ALICE), ("scorer", BEN)]
    assert await own_invitations(accounts, login) == []
    assert "You are a scorer of Lakeside Club" in (await club.mailed_to(BEN, "members_changed"))[0]
    to_owner = await club.mailed_to(ALICE, "members_changed")
    assert "Somebody is a scorer of Lakeside Club" in to_owner[-1]
    assert BEN not in "".join(to_owner)


async def test_nobody_accepts_what_was_sent_to_an_address_that_is_not_theirs(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    await invite_member(accounts, owner, LAKESIDE, BEN, "owner")
    (invitation,) = await list_invited(accounts, owner, LAKESIDE)
    other = await club.house.log_in(CAROL)
    # An address that the operator named, and nobody has proved, is nobody's yet.
    await club.house.pool.execute(
        "INSERT INTO mahjic.addresses VALUES ($1, $2, NULL)", BEN, other.account_id
    )
    assert await own_invitations(accounts, other) == []
    for use in (own_invitation, accept_invitation, decline_invitation):
        for wrong in (invitation.invitation_id, "inv_0000000000000000", "", "\x00", "x" * 10_000):
            with pytest.raises(InvitationGone):
                await use(accounts, other, wrong)
    with pytest.raises(UnknownDesk):
        await role_at(accounts, other, LAKESIDE)


async def test_an_invitation_is_used_once_and_ends_by_itself(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN)
    await invite_member(accounts, owner, LAKESIDE, CAROL, "scorer")
    (invitation,) = await list_invited(accounts, owner, LAKESIDE)
    with pytest.raises(InvitationGone):
        await accept_invitation(accounts, ben, invitation.invitation_id)
    carol = await club.house.log_in(CAROL)
    club.house.clock.wind(timedelta(days=30))
    assert await own_invitations(accounts, carol) == []
    with pytest.raises(InvitationGone):
        await accept_invitation(accounts, carol, invitation.invitation_id)
    await sweep_accounts(accounts)
    assert not await club.house.pool.fetchval("SELECT count(*) FROM mahjic.member_invitations")


async def test_it_can_be_withdrawn_and_declined(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    for end in ("withdraw", "decline"):
        await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
        ben = await club.house.log_in(BEN)
        (invitation,) = await own_invitations(accounts, ben)
        if end == "withdraw":
            await withdraw_invitation(accounts, owner, LAKESIDE, invitation.invitation_id)
        else:
            await decline_invitation(accounts, ben, invitation.invitation_id)
        with pytest.raises(InvitationGone):
            await accept_invitation(accounts, ben, invitation.invitation_id)
        with pytest.raises(InvitationGone):
            await withdraw_invitation(accounts, owner, LAKESIDE, invitation.invitation_id)


async def test_only_an_owner_with_a_fresh_login_invites_and_sees_who_is_invited(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    scorer = await club.join(owner, BEN)
    stranger = await club.appoint(CAROL, source=HILLTOP)
    for who, error in ((scorer, OwnersOnly), (stranger, UnknownDesk)):
        with pytest.raises(error):
            await invite_member(accounts, who, LAKESIDE, "new@example.com", "scorer")
        with pytest.raises(error):
            await list_invited(accounts, who, LAKESIDE)
        with pytest.raises(error):
            await withdraw_invitation(accounts, who, LAKESIDE, "inv_0000000000000000")
    for slug in ("nowhere", "", "\x00", "LAKESIDE", "x" * 10_000):
        with pytest.raises(UnknownDesk):
            await invite_member(accounts, owner, slug, BEN, "scorer")
    with pytest.raises(WrongAddress):
        await invite_member(accounts, owner, LAKESIDE, "no address", "scorer")
    club.house.clock.wind(timedelta(minutes=15))
    with pytest.raises(LoginNotFresh):
        await invite_member(accounts, owner, LAKESIDE, "new@example.com", "scorer")


async def test_the_first_login_of_staff_is_for_no_desk(club: Club) -> None:
    accounts = club.house.accounts
    owner = await club.appoint()
    await add_staff(club.house.pool, BEN, "reviewer", accounts.chance)
    await invite_member(accounts, owner, LAKESIDE, BEN, "owner")
    (invitation,) = await list_invited(accounts, owner, LAKESIDE)
    login = await club.house.log_in(BEN)
    for refused in (
        accept_invitation(accounts, login, invitation.invitation_id),
        role_at(accounts, login, LAKESIDE),
        invite_member(accounts, login, LAKESIDE, CAROL, "scorer"),
    ):
        with pytest.raises(OnlyFirstPasskey):
            await refused


async def test_a_member_is_not_invited_again_and_an_owner_never_becomes_less_by_accepting(
    club: Club,
) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    ben = await club.join(owner, BEN, "owner")
    with pytest.raises(AlreadyInvited):
        await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
    # By another address of theirs, which the source does not know to be theirs.
    await club.house.pool.execute(
        "INSERT INTO mahjic.addresses VALUES ($1, $2, now())", CAROL, ben.account_id
    )
    await invite_member(accounts, owner, LAKESIDE, CAROL, "scorer")
    (invitation,) = await own_invitations(accounts, ben)
    await accept_invitation(accounts, ben, invitation.invitation_id)
    assert await role_at(accounts, ben, LAKESIDE) == "owner"


async def test_who_wants_no_mail_gets_none_and_is_invited_all_the_same(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    assert accounts.hashes is not None
    await end_mail(club.house.pool, accounts.hashes.of(BEN), at=club.house.clock.now())
    await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
    assert await club.mailed_to(BEN, "member_invited") == []
    assert len(await own_invitations(accounts, await club.house.log_in(BEN))) == 1


async def test_neither_an_address_nor_a_desk_is_made_to_send_mail_after_mail(club: Club) -> None:
    accounts, owner = club.house.accounts, await club.appoint()
    for _ in range(2):
        # The same button pressed twice invites once.
        await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
        await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
        club.house.clock.wind(timedelta(minutes=1))
    with pytest.raises(TooManyInvitations, match="This address was invited lately"):
        await invite_member(accounts, owner, LAKESIDE, BEN, "scorer")
    assert len(await club.mailed_to(BEN, "member_invited")) == 2
    for number in range(FROM_SOURCE[0].mails - 2):
        await invite_member(accounts, owner, LAKESIDE, f"p{number}@example.com", "scorer")
    with pytest.raises(TooManyInvitations, match="Many people were invited lately"):
        await invite_member(accounts, owner, LAKESIDE, "one-more@example.com", "scorer")
    await club.house.pool.execute(
        "INSERT INTO mahjic.member_invitations SELECT 'inv_' || n, $1, n || '@example.org',"
        " 'scorer', $2, $3 FROM generate_series(1, $4) AS n",
        LAKESIDE,
        owner.account_id,
        club.house.clock.now(),
        PENDING_MAX,
    )
    with pytest.raises(AlreadyInvited, match="have not answered"):
        await invite_member(accounts, owner, LAKESIDE, "one-more@example.com", "scorer")
