"""Staff verify a player, keep one from it, and take that back: with a reason, and on record."""

import pytest

from tests.db.rows import rows_by_table
from tests.site.staff.verified.conftest import PayingTown
from tests.verification.stripe.account.odd import a_document

ANN = "ann@example.com"
IS_VERIFIED = "SELECT is_verified FROM mahjic.players WHERE player_id = $1"
WHY = {
    "verify": "Plays in our club every <b>week</b>.",
    "block": "Two people share this login.",
    "leave": "They have parted since.",
}


async def test_a_player_is_verified_and_kept_from_it_and_that_is_taken_back(
    paying: PayingTown,
) -> None:
    ann = await paying.club.player(ANN)
    browser = await paying.staffed.at_desk()
    path = f"/staff/players/{ann}"
    fitting = {
        "verify": {"verify", "block"},
        "block": {"block", "leave"},
        "leave": {"verify", "leave"},
    }
    for act, offered in fitting.items():
        page = await browser.page(path)
        decisions = {each for each in page.main.links() if each.startswith(f"{path}/verified/")}
        assert decisions == {f"{path}/verified/{each}" for each in offered}
        asked = await browser.page(f"{path}/verified/{act}")
        assert ann in asked.main.one("h1").text
        answer = await browser.send(f"{path}/verified/{act}", {"reason": WHY[act]})
        assert answer.headers["location"] == f"{path}?done={act}"
        page = await browser.page(answer.headers["location"])
        assert page.main.all("p", role="status")
        # The decision and its reason stand there as long as it holds.
        assert (WHY[act] in page.main.text) == (act != "leave")
        assert "<b>week" not in page.main.text or act == "verify"
        is_verified = await paying.club.pool.fetchval(IS_VERIFIED, ann)
        assert is_verified == (act == "verify")
    acts = ["verify_player", "end_verification", "leave_verification"]
    assert await paying.staffed.acts() == [(act, [ann]) for act in acts]
    # Why is kept in words, and nowhere but there.
    held = await rows_by_table(paying.club.pool)
    where = {table for table, rows in held.items() if WHY["leave"] in "\n".join(rows)}
    assert where == {"mahjic.verification_notes"}


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "Invisible \u200b character"])
async def test_without_a_fit_reason_nothing_is_decided_and_what_was_typed_stays(
    paying: PayingTown, reason: str
) -> None:
    ann = await paying.club.player(ANN)
    browser = await paying.staffed.at_desk()
    answer = await browser.send(f"/staff/players/{ann}/verified/verify", {"reason": reason})
    assert answer.status_code == 422
    assert 'id="reason-wrong"' in answer.text
    assert f">{reason}</textarea>" in answer.text
    assert await paying.staffed.acts() == []
    assert await paying.club.pool.fetchval(IS_VERIFIED, ann) is False


async def test_what_payment_and_identity_say_stands_beside_the_decision(
    paying: PayingTown,
) -> None:
    club, ann = paying.club, await paying.club.player(ANN)
    browser = await paying.staffed.at_desk()
    path = f"/staff/players/{ann}"
    assert "nothing paid" in (await browser.page(path)).main.text
    await club.pays(ANN)
    await club.fails(ANN)
    text = (await browser.page(path)).main.text
    assert "paid until" in text
    assert "It renews by itself." in text
    assert "the last check failed" in text
    assert "selfie face mismatch" in text
    await club.shows(ANN, a_document(1))
    page = await browser.page(f"{path}/verified/block")
    assert "checked" in page.main.text
    assert await club.pool.fetchval(IS_VERIFIED, ann) is True
    await browser.send(f"{path}/verified/block", {"reason": "It is not her."})
    assert await club.pool.fetchval(IS_VERIFIED, ann) is False
    await browser.send(f"{path}/verified/leave", {"reason": "It is her."})
    assert await club.pool.fetchval(IS_VERIFIED, ann) is True
    (invoice,) = club.stripe.account.invoices
    club.people.refund(invoice)
    await club.catch_up()
    assert "all given back" in (await browser.page(path)).main.text


async def test_whoever_is_forgotten_leaves_no_reason_behind(paying: PayingTown) -> None:
    ann = await paying.club.player(ANN)
    browser = await paying.staffed.at_desk()
    path = f"/staff/players/{ann}"
    for act in ("verify", "leave"):
        await browser.send(f"{path}/verified/{act}", {"reason": WHY[act]})
    assert (await browser.send(f"{path}/do/forget", {"typed": ann})).status_code == 303
    held = await rows_by_table(paying.club.pool)
    for words in WHY.values():
        assert not [table for table, rows in held.items() if words in "\n".join(rows)]
    erased = {row["table_name"] for row in await paying.club.pool.fetch("TABLE mahjic.erasures")}
    assert "verification_notes" in erased
