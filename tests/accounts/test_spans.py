"""How long a login is fresh, whatever a clock does, and that all say the same of it."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.accounts.logging_in.logins import LoginNotFresh, check_fresh
from services.accounts.spans import is_fresh
from tests.accounts.people import House

NOW = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
SERVICES = Path(__file__).parents[2] / "services"


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(0), True),
        (timedelta(minutes=15) - timedelta(microseconds=1), True),
        (timedelta(minutes=15), False),
        (timedelta(days=30), False),
        # Two processes whose clocks differ a little.
        (timedelta(seconds=-59), True),
        (timedelta(minutes=-1), True),
        # A clock that was set back.
        (timedelta(seconds=-61), False),
        (timedelta(days=-365), False),
    ],
)
def test_a_login_is_fresh_for_fifteen_minutes_also_after_a_clock_was_set_back(
    age: timedelta, expected: bool
) -> None:
    assert is_fresh(NOW - age, NOW) is expected


async def test_a_clock_that_is_set_back_makes_no_login_fresh_again(house: House) -> None:
    login = await house.log_in()
    check_fresh(house.accounts, login)
    house.clock.wind(-timedelta(hours=5))
    with pytest.raises(LoginNotFresh):
        check_fresh(house.accounts, login)


def test_no_text_says_the_minutes_in_words_of_its_own() -> None:
    said = [
        f"{file.name}: {text}"
        for file in SERVICES.rglob("*")
        for text in _texts(file)
        if "15 minutes" in text
    ]
    assert said == []
    assert any(_texts(SERVICES / "site" / "templates" / "login" / "sent.html"))


def _texts(file: Path) -> Iterator[str]:
    """Yield what a file can say to people: a template, or the strings of code."""
    if file.suffix in {".html", ".j2"}:
        yield from file.read_text().splitlines()
    elif file.suffix == ".py":
        tree = ast.parse(file.read_text())
        # A text that stands alone is a docstring.
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            is_said = id(node) not in docstrings
            if is_said and isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
