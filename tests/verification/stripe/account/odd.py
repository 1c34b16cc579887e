"""What documents say in tests: values that stand nowhere else, so that they can be looked for."""

from dataclasses import dataclass
from datetime import date
from typing import Final


@dataclass(frozen=True, slots=True)
class Document:
    """A document that somebody holds into the camera."""

    country: str
    document_type: str
    number: str
    first_name: str
    last_name: str
    born_on: date
    file_id: str


ODD: Final = Document(
    country="US",
    document_type="passport",
    number="Q7-ODD-DOC-4711",
    first_name="Zephyrinequa",
    last_name="Oddingtonvale",
    born_on=date(1903, 2, 17),
    file_id="file_0DD0DD0DD0DDimage",
)

# None of these may ever be found anywhere but at Stripe.
ODD_WORDS: Final = (
    ODD.number,
    ODD.first_name,
    ODD.last_name,
    ODD.born_on.isoformat(),
    ODD.file_id,
)


def a_document(number: int, *, born_on: date = date(1950, 1, 1)) -> Document:
    """Return the document of another person, who is told apart by a number."""
    return Document(
        country="US",
        document_type="driving_license",
        number=f"Q7-ODD-DOC-{number:08d}",
        first_name="Zephyrinequa",
        last_name=f"Oddingtonvale-{number}",
        born_on=born_on,
        file_id=f"file_0DD0DD0DD0DD{number}",
    )
