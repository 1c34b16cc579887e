"""Letters of made-up names, and the code with which a person that cannot be read is refused."""

import pytest
from hypothesis import strategies as st

from services.ingest.claim.people import (
    UnreadablePerson,
    read_person,
)


def code_of(text: str) -> str:
    with pytest.raises(UnreadablePerson) as refused:
        read_person(text)
    assert refused.value.message.endswith(".")
    return refused.value.code


OF_NAMES = st.characters(categories=("Lu", "Ll", "Lt", "Lo", "Mn", "Nd"))
