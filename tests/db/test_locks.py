"""Who holds an advisory lock is seen without taking it, and no two locks have one number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.db import locks
from shared.db.locks import is_held
from tests.conftest import Database

ROOT = Path(__file__).parents[2]
REGISTER = Path(locks.__file__)
NUMBERS = {name: number for name, number in vars(locks).items() if name.endswith("_LOCK")}
# A lock whose number stands in the statement itself; others are handed in.
TAKEN_BY_NUMBER = re.compile(r"pg_(?:try_)?advisory_\w+\(\s*(?:-?\d|'|hash)", re.IGNORECASE)


@pytest.mark.parametrize("key", [0x4D4A46, 2**40 + 3, -5])
async def test_a_lock_by_one_number_is_seen_while_it_is_held(database: Database, key: int) -> None:
    assert not await is_held(database.pool, key)
    async with database.pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock($1)", key)
        assert await is_held(database.pool, key)
        assert not await is_held(database.pool, key + 1)
        await holder.execute("SELECT pg_advisory_unlock($1)", key)
        assert not await is_held(database.pool, key)


async def test_a_shared_lock_by_two_numbers_is_seen_and_can_still_be_taken(
    database: Database,
) -> None:
    async with database.pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock_shared(77, 3)")
        assert await is_held(database.pool, (77, 3))
        assert not await is_held(database.pool, (77, 4))
        assert not await is_held(database.pool, 77 * 2**32 + 3)
        await holder.execute("SELECT pg_advisory_unlock_all()")
    assert not await is_held(database.pool, (77, 3))


def test_no_two_locks_have_one_number() -> None:
    assert len(NUMBERS) >= 8
    assert all(isinstance(number, int) for number in NUMBERS.values())
    assert len(set(NUMBERS.values())) == len(NUMBERS), (
        f"Two locks of {REGISTER.name} have the same number, so that one would wait for the other: "
        f"{NUMBERS}. Give the newer one a number that no other has."
    )


def test_no_number_of_a_lock_is_written_anywhere_else() -> None:
    sources = [file for room in ("shared", "services") for file in (ROOT / room).rglob("*.py")]
    assert len(sources) > 300
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sources
        if file != REGISTER
        for line in lines_with_a_lock(file.read_text())
    ]
    found += [
        str(file.relative_to(ROOT))
        for room in ("shared", "services")
        for file in (ROOT / room).rglob("*.sql")
        if TAKEN_BY_NUMBER.search(file.read_text())
    ]
    assert not found, (
        f"The number of an advisory lock is written in {', '.join(found)}. Write it in "
        "shared/db/locks.py, where all numbers are seen to differ, and import it from there."
    )


def lines_with_a_lock(source: str) -> Iterator[int]:
    """Yield the lines that name a lock of their own, repeat a number, or take a lock by one."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.expr())
                | ast.Assign(targets=[ast.Name(id=name)])
            ) if name.endswith("_LOCK") and not is_text(node.value):
                yield node.lineno
            case ast.Constant(value=int(number)) if number in NUMBERS.values():
                yield node.lineno
            case ast.Constant(value=str(text)) if TAKEN_BY_NUMBER.search(text):
                yield node.lineno


def is_text(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@pytest.mark.parametrize(
    "source",
    [
        "OTHER_LOCK: Final = 17",
        "OTHER_LOCK = int.from_bytes(b'other')",
        f"take({locks.RELAY_LOCK})",
        "TAKE = 'SELECT pg_advisory_lock(17)'",
        "TAKE = 'SELECT pg_try_advisory_xact_lock_shared( -17, $1)'",
        "TAKE = \"SELECT pg_advisory_lock(hashtext('x'))\"",
    ],
)
def test_a_number_is_found_wherever_it_stands(source: str) -> None:
    assert [*lines_with_a_lock(source)]


@pytest.mark.parametrize(
    "source", ["TAKE_LOCK = 'SELECT 1'", "take('SELECT pg_advisory_lock($1)', RELAY_LOCK)"]
)
def test_what_is_handed_in_is_no_number(source: str) -> None:
    assert not [*lines_with_a_lock(source)]
