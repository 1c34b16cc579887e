"""Has everything that is done with a key of the operator kept, and every look at an address.

An act is kept before it is done, or before what was looked up is shown. So none is missing, and
what was refused afterward is kept as well.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from shared.http.callers import Caller
from shared.http.routes import handed_in

# What was sent in the place of an id may be anything, also an address, and is not kept.
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class OperatorActs:
    """Keeps acts by the id of a key, what was done, and about whom, by ids. The wiring says where.

    Raises ServiceUnavailable; then nothing may be done or shown.
    """

    write: Callable[[str, str, Sequence[str]], Awaitable[None]]

    async def keep(self, caller: Caller, act: str, *about: str) -> None:
        """Keep an act of the operator. What sources do with their own sessions is no such act."""
        if caller.kind == "operator":
            await self.write(caller.key_id, act, [each for each in about if _ID.fullmatch(each)])


Acts: TypeAlias = Annotated[OperatorActs, handed_in(OperatorActs)]
