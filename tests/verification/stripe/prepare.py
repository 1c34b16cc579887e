"""Builds Stripe's own mock, once and ahead of the tests."""

import sys

from tests.go_tools import GoToolMissing
from tests.verification.stripe.tools import stripe_mock


def main() -> int:
    """Prepare what the tests need, or say why they will leave Stripe out; they decide what then."""
    try:
        stripe_mock()
    except GoToolMissing as missing:
        sys.stderr.write(f"NOT TRIED: what is said to Stripe. {missing}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
