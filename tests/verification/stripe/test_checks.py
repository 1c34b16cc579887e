"""What is told about checks of an identity and about documents, on every adapter."""

from dataclasses import replace
from datetime import date

import pytest

from services.verification.stripe.port import (
    CheckNow,
    DocumentRead,
    StripeNotYet,
    StripeRefused,
    Whose,
)
from tests.verification.stripe.account.odd import a_document
from tests.verification.stripe.rigs import Rig


async def now(rig: Rig, check: CheckNow) -> CheckNow:
    found = await rig.stripe.check(check.session_id)
    assert found is not None
    return found


async def test_a_check_that_waits_has_an_address_and_its_key(rig: Rig) -> None:
    check = await rig.begun("key-1")
    assert (check.key, check.state, check.error_code) == ("key-1", "requires_input", None)
    assert (check.report_id, check.is_redacted) == (None, False)
    assert check.url == f"{rig.account.site}/check/{check.session_id}"
    assert await now(rig, check) == check
    assert await rig.stripe.whose(check.session_id) == Whose(check_key="key-1")


async def test_a_check_that_is_looked_at_has_no_address(rig: Rig) -> None:
    check = await rig.begun()
    rig.people.begin_processing(check.session_id)
    assert await now(rig, check) == replace(check, state="processing", url=None)


async def test_a_check_that_failed_says_why_and_can_be_tried_again(rig: Rig) -> None:
    check = await rig.begun()
    rig.people.fail_check(check.session_id, "document_expired")
    failed = await now(rig, check)
    assert failed == replace(check, error_code="document_expired")
    rig.people.pass_check(check.session_id)
    passed = await now(rig, check)
    assert (passed.state, passed.url, passed.error_code) == ("verified", None, None)


async def test_what_a_document_says_is_read_from_the_report(rig: Rig) -> None:
    check = await rig.begun()
    rig.people.pass_check(check.session_id)
    passed = await now(rig, check)
    assert passed.report_id is not None
    read = await rig.stripe.document(passed.report_id)
    assert read == DocumentRead(
        country="US",
        document_type="passport",
        number="Q7-ODD-DOC-4711",
        first_name="Zephyrinequa",
        last_name="Oddingtonvale",
        born_on=date(1903, 2, 17),
    )


async def test_two_people_have_two_documents(rig: Rig) -> None:
    numbers: list[str | None] = []
    for key in ("key-1", "key-2"):
        check = await rig.begun(key)
        rig.people.pass_check(check.session_id, a_document(len(numbers)))
        report_id = (await now(rig, check)).report_id
        assert report_id is not None
        read = await rig.stripe.document(report_id)
        assert read is not None
        numbers.append(read.number)
    assert numbers == ["Q7-ODD-DOC-00000000", "Q7-ODD-DOC-00000001"]


async def test_what_was_erased_is_read_as_nothing(rig: Rig) -> None:
    check = await rig.begun("key-1")
    rig.people.pass_check(check.session_id)
    report_id = (await now(rig, check)).report_id
    assert report_id is not None
    await rig.stripe.redact_check("key-2", check.session_id)
    erasing = await now(rig, check)
    assert (erasing.state, erasing.is_redacted, erasing.report_id) == ("verified", True, None)
    # Two people of the number "[redacted]" would seem to be one.
    assert await rig.stripe.document(report_id) == DocumentRead(None, None, None, None, None, None)
    rig.people.finish_redaction(check.session_id)
    assert await now(rig, check) == erasing


async def test_stripe_erases_the_key_too(rig: Rig) -> None:
    check = await rig.begun("key-1")
    rig.people.pass_check(check.session_id)
    await rig.stripe.redact_check("key-2", check.session_id)
    assert (await now(rig, check)).key == ""
    assert await rig.stripe.whose(check.session_id) is None


async def test_a_check_that_waits_is_canceled_by_erasing_it(rig: Rig) -> None:
    check = await rig.begun()
    rig.people.fail_check(check.session_id)
    await rig.stripe.redact_check("key-2", check.session_id)
    erased = await now(rig, check)
    assert (erased.state, erased.is_redacted, erased.error_code) == ("canceled", True, None)


async def test_what_is_looked_at_can_be_erased_later_with_the_same_key(rig: Rig) -> None:
    check = await rig.begun()
    rig.people.begin_processing(check.session_id)
    for _ in range(2):
        with pytest.raises(StripeNotYet):
            await rig.stripe.redact_check("key-2", check.session_id)
    rig.people.pass_check(check.session_id)
    await rig.stripe.redact_check("key-2", check.session_id)
    assert (await now(rig, check)).is_redacted


async def test_a_check_without_a_key_of_ours_is_nobodys(rig: Rig) -> None:
    check = rig.account.begin_check({}, return_url="https://elsewhere.example")
    assert await rig.stripe.whose(check.id) is None


async def test_what_was_only_canceled_is_not_erased_anymore(rig: Rig) -> None:
    """Stripe erases a check that waits or has passed, so it is better erased than canceled."""
    check = await rig.begun()
    rig.people.fail_check(check.session_id)
    rig.account.cancel_check(check.session_id)
    with pytest.raises(StripeRefused):
        await rig.stripe.redact_check("key-3", check.session_id)
