"""Reads whom the operator names by an address, in the member `email` of a request."""

from services.ingest.claim.people import Person, UnreadablePerson, read_person
from shared.errors import ClaimRefused, Mistake


def with_address(text: str) -> Person:
    """Return the person with this address. Raises ClaimRefused."""
    try:
        person = read_person(text)
    except UnreadablePerson as error:
        raise ClaimRefused([Mistake("/email", error.code, error.message)]) from None
    if person.kind != "person":
        message = "Only someone with an email address can be named here; Bob is imaginary."
        raise ClaimRefused([Mistake("/email", "not_a_person", message)])
    return person
