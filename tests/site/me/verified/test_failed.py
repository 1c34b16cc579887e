"""Each reason that Stripe may give for a check that failed is told in words."""

import inspect
import re

from stripe.identity import VerificationSession

from services.site.me.verified.failed import WHY_FAILED, why_failed

_CODE = re.compile(r'^ +"([a-z_]+)",$', re.MULTILINE)


def stripes_codes() -> set[str]:
    """Return the codes that Stripe's own library knows; it says them in types alone."""
    return set(_CODE.findall(inspect.getsource(VerificationSession.LastError)))


def test_every_code_of_stripe_has_words() -> None:
    codes = stripes_codes()
    assert len(codes) > 15
    assert WHY_FAILED.keys() == codes


def test_a_code_that_is_new_has_words_as_well() -> None:
    assert why_failed("moon_in_the_way") == why_failed(None)
    for each in (*WHY_FAILED.values(), why_failed(None)):
        assert each.endswith(".")
        assert "_" not in each
