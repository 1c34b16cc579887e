"""What the page of becoming Verified is handed, and which addresses it leads to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias
from urllib.parse import urlsplit

from starlette.responses import Response

from services.site.login.door import lead_to
from services.verification.room import VerificationRoom
from services.verification.stripe.port import StripeRefused
from shared.http.routes import handed_in

# Where Stripe's pages are: to pay, for receipts, and to be checked.
STRIPE_ORIGINS: Final = (
    "https://checkout.stripe.com",
    "https://billing.stripe.com",
    "https://verify.stripe.com",
)


@dataclass(frozen=True, slots=True)
class VerifiedDesk:
    """The room that decides who is Verified, and the origins of Stripe's pages."""

    room: VerificationRoom
    origins: Sequence[str] = STRIPE_ORIGINS

    @classmethod
    def of(cls, room: VerificationRoom, api_base: str | None) -> "VerifiedDesk":
        """Return a desk; where Stripe is somewhere else, as for tests, its pages are there too."""
        return cls(room, STRIPE_ORIGINS if api_base is None else (*STRIPE_ORIGINS, api_base))

    @property
    def is_open(self) -> bool:
        """Whether anybody can pay here."""
        return self.room.stripe_account is not None

    def lead_to_stripe(self, address: str) -> Response:
        """Have a browser open a page of Stripe's. Raises StripeRefused for any other address."""
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" not in self.origins:
            raise StripeRefused("its page is at an address that is not Stripe's", None)
        return lead_to(address)


AtVerified: TypeAlias = Annotated[VerifiedDesk, handed_in(VerifiedDesk)]
