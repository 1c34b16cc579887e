"""The shapes of settings that are texts: what an address, a key or a name must look like."""

import re
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator

from shared.tlog.notes import COSIGNATURE, NoteRefused, read_verifier_key

# With `.verdicts` behind it, the longest name of a topic that Kafka takes: 249 characters.
KAFKA_PREFIX: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,239}")
# An origin (RFC 6454): no path, no query, nobody's password.
PUBLIC_URL: Final = re.compile(
    r"^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$|^https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$"
)
# An email address without anything that a link would have to write in another way, or a link.
CONTACT: Final = re.compile(
    r"^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$|^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$"
)
# A user and a password, or neither; special characters in them are percent-encoded.
SMTP_URL: Final = re.compile(
    r"smtps?://(?:[A-Za-z0-9._~%!$&'()*+,;=-]+:[A-Za-z0-9._~%!$&'()*+,;=-]+@)?"
    r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?/?"
)
_ADDRESS: Final = r"[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
MAIL_FROM: Final = re.compile(rf"{_ADDRESS}|[A-Za-z0-9 .'-]{{1,60}} <{_ADDRESS}>")
# The key goes there, so nobody on the way may read it.
REVIEW_URL: Final = re.compile(
    r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9._~/-]*"
    r"|http://(?:localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?/[A-Za-z0-9._~/-]*"
)
STRIPE_KEY: Final = re.compile(r"[rs]k_(?:live|test)_[A-Za-z0-9_]{1,250}")
STRIPE_SECRET: Final = re.compile(r"whsec_[A-Za-z0-9+/=_-]{1,250}")
STRIPE_SECRETS_MAX: Final = 4
# An address, a space, and a verifier key whose digits are those of its key.
WITNESS: Final = re.compile(
    r"(?:https://[A-Za-z0-9.-]+|http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~/-]*)? (?P<key>[^\s]{1,400})"
)
# Each is asked for every checkpoint.
WITNESSES_MAX: Final = 16
KAFKA_SERVERS: Final = re.compile(r"[^,:\s]+:\d+(,[^,:\s]+:\d+)*")
# Settings that may be left out, but not set to nothing, which would mean something else.
NEVER_EMPTY: Final = (
    "data",
    "database_url",
    "smtp_url",
    "mail_from",
    "address_hash_key",
    "review_url",
    "review_key",
    "review_model",
    "stripe_key",
    "stripe_webhook_secrets",
    "stripe_price",
    "stripe_api_base",
    "identity_hash_key",
    "rater_folder",
    "transparency",
    "batch_spool_folder",
    "kafka_servers",
    "kafka_user",
    "kafka_password",
    "kafka_ca_file",
    "kafka_cert_file",
    "kafka_key_file",
)


def _are_witnesses(value: tuple[str, ...]) -> tuple[str, ...]:
    if len(value) > WITNESSES_MAX or not all(map(_is_witness, value)):
        raise ValueError(
            f"Give a list of at most {WITNESSES_MAX} as JSON, each its https address, a space and "
            "its verifier key. Only one on this machine may be http."
        )
    return value


def _is_witness(text: str) -> bool:
    """Return whether a text names a witness: where it is, and with what it cosigns."""
    found = WITNESS.fullmatch(text)
    try:
        return found is not None and read_verifier_key(found["key"]).kind == COSIGNATURE
    except NoteRefused:
        return False


Witnesses: TypeAlias = Annotated[tuple[str, ...], AfterValidator(_are_witnesses)]
