"""What counts as of one fact, in the order in which it is replayed."""

from dataclasses import dataclass

from shared.rating.columns import Events, Index, Rounds, Sessions
from shared.replay.adoptions import Adopted


@dataclass(frozen=True, slots=True)
class PlayedHistory:
    """The history as fact `as_of` leaves it, from the place `place_from` on.

    `rounds` has all rounds ever played, of which `sessions` name those that count; `events` are the
    verifications of the whole history. `survivor` int32[p] says which player each one plays as.
    """

    as_of: int
    place_from: int
    rounds: Rounds
    sessions: Sessions
    events: Events
    adopted: Adopted
    survivor: Index
