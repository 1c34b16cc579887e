"""Changes are told to all other addresses, and nobody makes us send mail without end by that."""

from datetime import timedelta

import pytest

from services.accounts.own.own_addresses import add_by_link
from services.accounts.own.passkeys import NewPasskey, add_passkey, is_mail_login_on, set_mail_login
from services.accounts.telling import CHANGES_TOLD, TooManyChanges
from tests.accounts.people import House

OTHERS = ("alice@work.example.com", "alice@home.example.com")
(LIMIT,) = CHANGES_TOLD
COUNT = "SELECT count(*) FROM mahjic.mails WHERE kind = 'account_changed'"


@pytest.mark.parametrize("others", [0, 1, 2])
async def test_going_back_and_forth_ends_at_a_limit(house: House, others: int) -> None:
    login = await house.log_in()
    for each in OTHERS[:others]:
        mail = await house.ask(each, for_account=login.account_id)
        await add_by_link(house.accounts, login, mail.link_token)
    await add_passkey(house.accounts, login, NewPasskey(b"credential", b"key", 0, "Phone"))
    is_on = True
    for _ in range(LIMIT.mails - others - 1):
        is_on = not is_on
        await set_mail_login(house.accounts, login, is_on=is_on)
    mails = await house.pool.fetchval(COUNT)
    for _ in range(3):
        with pytest.raises(TooManyChanges) as refused:
            await set_mail_login(house.accounts, login, is_on=not is_on)
        wait_s = int(refused.value.headers["Retry-After"])
        assert 0 < wait_s <= LIMIT.within.total_seconds()
    assert await is_mail_login_on(house.accounts, login) == is_on
    assert await house.pool.fetchval(COUNT) == mails
    # It ends by itself.
    await house.pool.execute("UPDATE mahjic.accounts SET mail_login = true")
    house.clock.wind(LIMIT.within + timedelta(seconds=1))
    again = await house.log_in()
    await set_mail_login(house.accounts, again, is_on=False)
