"""Why an identity check did not work, in words, by Stripe's own codes. Pure."""

from collections.abc import Mapping
from typing import Final

from services.site.kit.words import _

_OTHER: Final = _("Stripe could not be sure that the document is yours.")
_NEW_PICTURE: Final = _(
    "Stripe could not be sure that the picture shows you. Take it in good light, without glasses "
    "or a hat."
)
_ANOTHER: Final = _("Use another one: a passport, a driver’s license or an identity card.")

WHY_FAILED: Final[Mapping[str, str]] = {
    "abandoned": _("It was not finished."),
    "consent_declined": _(
        "You did not agree that Stripe looks at your document and your face. It can’t be done "
        "without that."
    ),
    "country_not_supported": _("Stripe does not know documents of that country. ") + _ANOTHER,
    "device_not_supported": _(
        "It does not work on that device. Use a phone or a computer that has a camera."
    ),
    "document_expired": _("The document has expired. ") + _ANOTHER,
    "document_type_not_supported": _("Stripe does not take that kind of document. ") + _ANOTHER,
    "document_unverified_other": _(
        "Stripe could not read the document, or be sure that it is real. Take its picture in good "
        "light, so that all of it is sharp."
    ),
    "selfie_document_missing_photo": _("There is no photo of you on the document. ") + _ANOTHER,
    "selfie_face_mismatch": _("The picture of you does not look like the photo on the document."),
    "selfie_manipulated": _NEW_PICTURE,
    "selfie_unverified_other": _NEW_PICTURE,
    "under_supported_age": _("Stripe checks nobody who is younger than its rules allow."),
    # What is not asked for here, as long as nobody changes that at Stripe.
    "email_unverified_other": _OTHER,
    "email_verification_declined": _OTHER,
    "id_number_insufficient_document_data": _OTHER,
    "id_number_mismatch": _OTHER,
    "id_number_unverified_other": _OTHER,
    "phone_unverified_other": _OTHER,
    "phone_verification_declined": _OTHER,
}


def why_failed(code: str | None) -> str:
    """Return why a check failed; of a code that is new, in general."""
    return WHY_FAILED.get(code or "", _OTHER)
