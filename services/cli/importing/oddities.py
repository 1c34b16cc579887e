"""Reports what is odd about the sessions of a file, which still count: the first ones in full.

A file of years may have the same oddity in every line, so the rest are counted by their codes.
Nothing is said about sessions that were already on record: it was said when they first came.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from services.cli.terminal.output import hint

TOLD_MAX: Final = 20


class Oddities:
    """The warnings of an import; `say` gets the first of them."""

    def __init__(self, say: Callable[[str], None] = hint) -> None:
        self._say = say
        self._told = 0
        self._untold: Counter[str] = Counter()

    def take(self, line: int, session: Mapping[str, Any]) -> None:
        """Take what the answer to a line says about its session."""
        for each in session.get("warnings") or ():
            code = str(each.get("code"))
            if self._told < TOLD_MAX:
                self._told += 1
                self._say(f"line {line}: {code}: {each.get('message')}")
            else:
                self._untold[code] += 1

    def tell_rest(self) -> None:
        """Say how many more there were."""
        if self._untold:
            counts = ", ".join(f"{code}: {count:,}" for code, count in self._untold.most_common())
            self._say(f"There are more warnings; these sessions count as sent: {counts}.")
