"""What counts as sent by a page of this site. `tests/site/whole` tries it on every page."""

import pytest

from shared.http.layers.own_site import is_from_here
from tests.accounts.people import ALICE
from tests.site.login.visiting import Visitor
from tests.site.serving import ORIGIN


async def test_a_program_reads_why(visitor: Visitor) -> None:
    answer = await visitor.client.post("/login", headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": ORIGIN},
        {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN},
    ],
    ids=str,
)
async def test_a_page_of_ours_is_heard(visitor: Visitor, headers: dict[str, str]) -> None:
    await visitor.log_in(ALICE)
    answer = await visitor.client.post("/logout", headers=headers)
    assert answer.status_code == 303
    assert not await visitor.is_logged_in()


def test_two_fields_of_one_name_are_not_heard() -> None:
    for name, value in ((b"sec-fetch-site", b"same-origin"), (b"origin", ORIGIN.encode())):
        assert is_from_here([(name, value)], ORIGIN)
        assert not is_from_here([(name, value), (name, value)], ORIGIN)
