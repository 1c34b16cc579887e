"""The money page shows what came in and what is due, and the checks that wait for staff."""

from datetime import timedelta

from services.verification.deciding import decide
from services.verification.work.queue import note_away
from tests.conftest import Database
from tests.site.staff.conftest import a_staff_town
from tests.site.staff.verified.conftest import PayingTown
from tests.verification.stripe.account.events import SECRET
from tests.verification.stripe.account.odd import ODD, ODD_WORDS, a_document

ANN, BEN, CARL, DORA = (f"{name}@example.com" for name in ("ann", "ben", "carl", "dora"))
PAGE = "/staff/verified"
IS_VERIFIED = "SELECT is_verified FROM mahjic.players WHERE player_id = $1"


async def test_at_first_there_is_nothing_and_it_says_whether_anybody_can_pay(
    paying: PayingTown, database: Database
) -> None:
    browser = await paying.staffed.at_desk()
    text = (await browser.page(PAGE)).main.text
    assert "Nobody can pay here" in text
    assert "Nothing yet." in text


async def test_where_people_can_pay_that_is_not_said(database: Database) -> None:
    opened = {
        "stripe_key": "rk_test_0123456789",
        "stripe_webhook_secrets": [SECRET],
        "stripe_price": "price_0123456789",
        "identity_hash_key": "h" * 32,
        "stripe_api_base": "http://127.0.0.1:9",
    }
    async with a_staff_town(database, **opened) as staffed:
        text = (await (await staffed.at_desk()).page(PAGE)).main.text
    assert "Nobody can pay here" not in text


async def test_what_came_in_and_what_went_back_is_told_by_month(paying: PayingTown) -> None:
    club = paying.club
    for email in (ANN, BEN, CARL):
        await club.pays(email)
    first, second, third = club.stripe.account.invoices
    club.people.refund(first)
    club.people.refund(second, 500)
    club.people.open_dispute(third)
    await club.catch_up()
    browser = await paying.staffed.at_desk()
    page = await browser.page(PAGE)
    month = f"{club.room.now():%Y-%m}"
    (row,) = [each for each in page.main.all("tr") if month in each.text]
    assert row.text.split() == [month, "3", "USD", "60.00", "USD", "25.00", "USD", "0.00"]
    assert "open: answer it at Stripe" in page.main.text
    club.people.close_dispute(third, "lost")
    await club.catch_up()
    page = await browser.page(PAGE)
    (row,) = [each for each in page.main.all("tr") if month in each.text]
    assert row.text.split() == [month, "3", "USD", "60.00", "USD", "25.00", "USD", "20.00"]


async def test_what_is_due_and_what_failed_is_listed_by_player(paying: PayingTown) -> None:
    club = paying.club
    subscription = await club.pays(ANN)
    await club.shows(ANN, a_document(1))
    ann = await club.player(ANN)
    browser = await paying.staffed.at_desk()

    async def page_when_a_year_ends_in(days: int) -> str:
        end = club.room.now() + timedelta(days=days)
        await club.pool.execute("UPDATE mahjic.payments SET period_end = $1", end)
        return (await browser.page(PAGE)).main.text

    for days, within_30, within_60 in ((61, 0, 0), (59, 0, 1), (29, 1, 1), (-1, 0, 0)):
        text = await page_when_a_year_ends_in(days)
        assert f"Within 30 days {within_30} " in " ".join(text.split()), text
        assert f"Within 60 days {within_60} " in " ".join(text.split()), text
        assert (ann in text) == (days in {29, 59})
    club.people.fail_renewal(subscription)
    await club.catch_up()
    text = " ".join((await browser.page(PAGE)).main.text.split())
    assert f"{ann} past due, paid until" in text


async def test_who_has_paid_and_is_not_checked_is_listed(paying: PayingTown) -> None:
    club = paying.club
    await club.pays(ANN)
    browser = await paying.staffed.at_desk()
    ann = await club.player(ANN)
    assert f"/staff/players/{ann}" in (await browser.page(PAGE)).main.links()
    await club.shows(ANN, a_document(1))
    assert "Nobody." in (await browser.page(PAGE)).main.text


async def test_one_document_of_two_players_waits_for_staff_who_let_it_count(
    paying: PayingTown,
) -> None:
    club = paying.club
    for email in (ANN, BEN):
        await club.pays(email)
        await club.shows(email, ODD)
    ann, ben = await club.player(ANN), await club.player(BEN)
    browser = await paying.staffed.at_desk()
    page = await browser.page(PAGE)
    assert f"{ben} showed the document of {ann}" in page.main.text
    (path,) = [each for each in page.main.links() if each.startswith(f"{PAGE}/checks/")]
    check = await browser.page(path)
    assert f"/staff/players/{ben}/merge?into={ann}" in check.main.links()
    assert f"/staff/players/{ben}/verified/block" in check.main.links()
    for word in ODD_WORDS:
        assert word not in page.main.text + check.main.text
    assert (await browser.send(path, {"reason": " "})).status_code == 422
    assert await paying.staffed.acts() == []
    assert await club.pool.fetchval(IS_VERIFIED, ben) is False
    answer = await browser.send(path, {"reason": "Twins; we saw both cards."})
    assert answer.headers["location"] == f"{PAGE}?done=released"
    assert await club.pool.fetchval(IS_VERIFIED, ben) is True
    assert await paying.staffed.acts() == [("release_check", [ben, path.rpartition("/")[2]])]
    notes = await club.pool.fetch("SELECT about, words FROM mahjic.verification_notes")
    assert [tuple(each) for each in notes] == [("release", "Twins; we saw both cards.")]
    # It was let count once, and the list is empty again.
    assert (await browser.get(path)).status_code == 404
    assert (await browser.send(path, {"reason": "Again."})).status_code == 404
    assert ann not in (await browser.page(PAGE)).main.text


async def test_whoever_is_blocked_or_merged_waits_no_longer(paying: PayingTown) -> None:
    club = paying.club
    for email in (ANN, BEN):
        await club.pays(email)
        await club.shows(email, ODD)
    browser = await paying.staffed.at_desk()
    assert "showed the document of" in (await browser.page(PAGE)).main.text
    await decide(club.room, await club.player(BEN), "block", "A fraud.")
    assert "showed the document of" not in (await browser.page(PAGE)).main.text


async def test_two_documents_of_one_name_and_birth_date_are_a_hint(paying: PayingTown) -> None:
    club, twin = paying.club, a_document(7)
    other = type(twin)(
        country="CA",
        document_type=twin.document_type,
        number="OTHER-1",
        first_name=twin.first_name,
        last_name=twin.last_name,
        born_on=twin.born_on,
        file_id="file_other",
    )
    await club.shows(ANN, twin)
    await club.shows(BEN, other)
    await club.shows(CARL, a_document(8))
    ann, ben = sorted([await club.player(ANN), await club.player(BEN)])
    browser = await paying.staffed.at_desk()
    page = await browser.page(PAGE)
    assert f"/staff/players/{ann}/merge?into={ben}" in page.main.links()
    assert await club.player(CARL) not in page.main.text
    assert "Perhaps one person" in page.main.text


async def test_that_stripe_is_away_and_what_nothing_explains_is_told(paying: PayingTown) -> None:
    club = paying.club
    dora = await club.player(DORA)
    await decide(club.room, dora, "grant", None)
    await club.pool.execute("DELETE FROM mahjic.verification_decisions")
    await club.pool.execute("DELETE FROM mahjic.verification_watch")
    await note_away(club.pool, club.room.now())
    browser = await paying.staffed.at_desk()
    page = await browser.page(PAGE)
    assert "Stripe has given no answer since" in page.main.text
    assert "Verified, but nothing says why" in page.main.text
    assert f"/staff/players/{dora}" in page.main.links()
