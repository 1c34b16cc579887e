"""Whatever a stranger sends costs time in proportion to its length, whoever reads it."""

import contextlib
from collections.abc import Callable

import pytest

from shared.errors import MahjicError
from tests.hostile.parsers import PARSERS
from tests.hostile.timing import growth_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name, parser in PARSERS.items() for kind in parser.texts],
)
def test_twice_the_text_takes_at_most_twice_the_time(name: str, kind: str) -> None:
    parser = PARSERS[name]
    for before, after in parser.frames:

        def work_of(length: int, before: str = before, after: str = after) -> Callable[[], object]:
            sent = parser.prepare(before + parser.texts[kind](length) + after)

            def work() -> None:
                # What is refused is refused in words; nothing else may go wrong.
                with contextlib.suppress(MahjicError, ValueError):
                    parser.read(sent)

            return work

        growth = growth_of(work_of, length_max=parser.length_max)
        assert not growth.is_steep, f"Between {before!r} and {after!r}, {growth}."
