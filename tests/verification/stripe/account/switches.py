"""What can go wrong on the way to Stripe and back."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Away: TypeAlias = Literal["hangs_up", "fails", "hangs"]


@dataclass
class Switches:
    """Set `away`, and nothing that is asked gets done until it is None again.

    Of `lose` requests that change something the answer is lost, after the thing was done. `travel`
    is awaited between the moment an answer is read and the one it arrives.
    """

    away: Away | None = None
    lose: int = 0
    travel: Callable[[], Awaitable[None]] | None = None

    def loses(self) -> bool:
        """Tell whether the answer to a change is lost, and count it."""
        if self.lose == 0:
            return False
        self.lose -= 1
        return True

    async def travels(self) -> None:
        if self.travel is not None:
            await self.travel()
