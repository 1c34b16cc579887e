"""Counts the requests of each client, so that none has more than its limit in any minute.

The times of a client's requests are kept, so the count is exact at every instant: no burst at the
turn of a minute, a refund takes back exactly its own request, and a limit may change between two
requests. The `limits` library was tried and left: its memory store for asyncio walks through
all clients at every request, has no bound, and its exact strategy can't give a request back.

Pure: the time is handed in. Each process counts for itself.
"""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60
# 100,000 clients with 60 requests each take 60 MiB. Beyond that the quietest is forgotten: an
# attacker with more addresses than that cannot be stopped by counting addresses anyway.
CLIENTS_MAX: Final = 100_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a client may do: `left` more requests within `window_s`, or none for `window_s`."""

    client: str
    limit: int
    is_granted: bool
    left: int
    window_s: int
    taken_at_s: float


class RequestCounts:
    """The times of the requests that each client made in the last minute."""

    def __init__(self, *, clients_max: int = CLIENTS_MAX) -> None:
        assert clients_max > 0
        self._clients_max = clients_max
        # Clients in the order of their last request, so the quietest comes first.
        self._times_s: OrderedDict[str, array[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times_s)

    def take(self, client: str, limit: int, now_s: float) -> Allowance:
        """Count a request of a client, unless it has made `limit` in the last minute already."""
        assert limit > 0
        times_s = self._times_of(client, now_s)
        is_granted = len(times_s) < limit
        if is_granted:
            times_s.append(now_s)
            self._times_s.move_to_end(client)
        return _allowance(client, limit, times_s, now_s, is_granted=is_granted)

    def give_back(self, allowance: Allowance, now_s: float) -> Allowance:
        """Take back a request that was granted, and return what the client may do now."""
        assert allowance.is_granted
        times_s = self._times_of(allowance.client, now_s)
        place = bisect_left(times_s, allowance.taken_at_s)
        if place < len(times_s) and times_s[place] == allowance.taken_at_s:
            del times_s[place]
        return _allowance(allowance.client, allowance.limit, times_s, now_s, is_granted=True)

    def _times_of(self, client: str, now_s: float) -> "array[float]":
        times_s = self._times_s.get(client)
        if times_s is None:
            self._make_room(now_s)
            times_s = self._times_s[client] = array("d")
        else:
            # A request counts for exactly one minute.
            del times_s[: bisect_right(times_s, now_s - WINDOW_S)]
        return times_s

    def _make_room(self, now_s: float) -> None:
        """Forget quiet clients, two for each new one, so that the work stays even."""
        for _ in range(2):
            quietest = next(iter(self._times_s.items()), None)
            if quietest is None:
                return
            client, times_s = quietest
            is_quiet = not times_s or times_s[-1] <= now_s - WINDOW_S
            if is_quiet or len(self._times_s) >= self._clients_max:
                del self._times_s[client]


def _allowance(
    client: str, limit: int, times_s: "array[float]", now_s: float, *, is_granted: bool
) -> Allowance:
    left = max(0, limit - len(times_s))
    # The request whose end lets one more in: the oldest, or a later one after the limit was cut.
    frees = max(0, len(times_s) - limit)
    wait_s = times_s[frees] + WINDOW_S - now_s if times_s else WINDOW_S
    return Allowance(client, limit, is_granted, left, max(1, math.ceil(wait_s)), now_s)
