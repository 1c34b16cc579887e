"""What mail people want: theirs alone, over all of their addresses, and gone with the account."""

import pytest

from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import Login
from services.accounts.own.joining import join_accounts
from services.accounts.own.mail_choices import (
    MailChoice,
    choose_mail,
    mail_choice_of,
    mail_choice_of_address,
)
from services.accounts.own.own_addresses import add_by_link, proved_addresses
from services.accounts.staff import add_staff
from tests.accounts.own.test_own_addresses import WORK, ask_to_add, beside
from tests.accounts.people import ALICE, BEN, House

CHOICES: tuple[MailChoice, ...] = ("nothing", "summary", "important")


async def choose(house: House, login: Login, wants: MailChoice) -> None:
    await house.accounts.settled(lambda c: choose_mail(house.accounts, c, login.account_id, wants))


async def wanted(house: House, address: str) -> MailChoice | None:
    return await house.accounts.settled(lambda c: mail_choice_of_address(c, address))


@pytest.mark.parametrize("wants", CHOICES)
async def test_what_is_chosen_is_known_by_every_proved_address(
    house: House, wants: MailChoice
) -> None:
    login = await house.log_in(ALICE)
    mail = await ask_to_add(house, login, WORK)
    await add_by_link(house.accounts, login, mail.link_token)
    assert await wanted(house, ALICE) is None
    await choose(house, login, wants)
    assert [await wanted(house, each) for each in (ALICE, WORK)] == [wants, wants]
    assert await house.accounts.settled(lambda c: mail_choice_of(c, login.account_id)) == wants
    await house.log_in(BEN)
    assert await wanted(house, BEN) is None
    assert await wanted(house, "stranger@example.com") is None


async def test_it_can_be_chosen_again(house: House) -> None:
    login = await house.log_in(ALICE)
    for wants in (*CHOICES, *reversed(CHOICES)):
        await choose(house, login, wants)
        assert await wanted(house, ALICE) == wants


async def test_an_address_that_is_not_proved_wants_nothing(house: House) -> None:
    await add_staff(house.pool, ALICE, "operator", house.accounts.chance)
    account_id = await house.pool.fetchval("SELECT account_id FROM mahjic.addresses")
    await house.accounts.settled(lambda c: choose_mail(house.accounts, c, account_id, "summary"))
    assert await wanted(house, ALICE) is None
    assert await house.accounts.settled(lambda c: proved_addresses(c, account_id)) == []


@pytest.mark.parametrize(
    ("own", "other", "both"),
    [("nothing", "summary", "nothing"), (None, "important", "important"), (None, None, None)],
)
async def test_two_accounts_that_are_joined_want_what_was_chosen(
    house: House, own: MailChoice | None, other: MailChoice | None, both: MailChoice | None
) -> None:
    ben, alice = await house.log_in(BEN), await house.log_in(ALICE)
    for login, wants in ((alice, own), (ben, other)):
        if wants is not None:
            await choose(house, login, wants)
    await join_accounts(house.accounts, await beside(house, alice, BEN))
    assert [await wanted(house, each) for each in (ALICE, BEN)] == [both, both]


async def test_it_is_erased_with_the_account(house: House) -> None:
    login = await house.log_in(ALICE)
    await choose(house, login, "summary")
    async with house.pool.acquire() as connection, connection.transaction():
        await erase_accounts(connection, [ALICE])
        # A page that was open meanwhile chooses for nobody.
        await choose_mail(house.accounts, connection, login.account_id, "summary")
    assert await house.pool.fetchval("SELECT count(*) FROM mahjic.mail_choices") == 0


async def test_addresses_come_in_the_order_in_which_they_were_proved(house: House) -> None:
    login = await house.log_in(WORK)
    mail = await ask_to_add(house, login, ALICE)
    await add_by_link(house.accounts, login, mail.link_token)
    await house.pool.execute(
        "UPDATE mahjic.addresses SET proved_at = proved_at - interval '1 day' WHERE address = $1",
        WORK,
    )
    found = await house.accounts.settled(lambda c: proved_addresses(c, login.account_id))
    assert found == [WORK, ALICE]
